/*
 * Whether this browser is signed in, and as whom.
 *
 * asking ──► in ──► out      Only a refusal of the gateway itself (401) means `out`. A gateway that does not answer says nothing about it,
 *    └──► out ◄──┘           so what was known stays, and what is kept on the device can be read.
 *
 * What is kept belongs to one account. It is wiped when this device is signed out, when the gateway no longer knows it, and before another
 * account is shown.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { backoffMs, type Clock, type Random } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Client } from '@clawdfather/sdk';
import { type Problem, problemOf } from '../data/problem.ts';
import type { DeviceStorage, Writer } from '../storage/device-storage.ts';
import type { Tabs } from './tabs.ts';

export type Account = AnswerOf<Api['auth']['me']>['account'];

export type Standing =
  | { readonly kind: 'asking'; readonly problem: Problem | undefined }
  /* `isProven`: the gateway has said so since the app was opened. */
  | { readonly kind: 'in'; readonly account: Account; readonly isProven: boolean }
  /* `refused`: the gateway no longer knows this device. */
  | { readonly kind: 'out'; readonly why: 'never-in' | 'refused' | 'asked' };

export interface Membership {
  readonly standing: ReadonlySignal<Standing>;
  /* Asks the gateway who this is. True: it is signed in, as far as is known. */
  ask(): Promise<boolean>;
  /* What a way of signing in does; `work` throws what the gateway refuses. True if the browser has kept the cookie. */
  signIn(work: () => Promise<unknown>): Promise<boolean>;
  signOut(): Promise<void>;
}

export interface MembershipDeps {
  readonly client: Pick<Client, 'auth'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly random: Random;
  readonly storage: Pick<DeviceStorage, 'notes' | 'writer'>;
  readonly tabs: Tabs;
  /* Removes everything of the account from this device. */
  readonly wipe: () => Promise<void>;
}

const accountNote = 'account';

export function openMembership(deps: MembershipDeps): Membership {
  const { client, storage, tabs, wipe } = deps;
  const standing = signal<Standing>({ kind: 'asking', problem: undefined });
  /* The writer is from before the question: what was signed out since is not entered by its answer. */
  const enter = async (account: Account, writer: Writer): Promise<void> => {
    const kept = await storage.notes.read(accountNote);
    if (writer.wiped.aborted) return;
    const isAnothers = isAccount(kept) && kept.id !== account.id;
    if (isAnothers) await wipe();
    const { note, wiped } = isAnothers ? storage.writer() : writer;
    await note(accountNote, account);
    if (!wiped.aborted) standing.value = { kind: 'in', account, isProven: true };
  };
  const leave = async (why: 'refused' | 'asked'): Promise<void> => {
    const wasIn = standing.value.kind === 'in' || isAccount(await storage.notes.read(accountNote));
    // Who asks twice at once is refused twice; by the second time nobody knows who was in.
    if (!wasIn && standing.value.kind === 'out') return;
    // Locked first, so that nothing is seen while it is removed.
    standing.value = { kind: 'out', why: wasIn ? why : 'never-in' };
    if (wasIn) await wipe();
  };
  const ask = async (): Promise<boolean> => {
    const writer = storage.writer();
    try {
      await enter((await client.auth.me()).account, writer);
      return standing.value.kind !== 'out';
    } catch (error) {
      const problem = problemOf(error);
      if (problem.kind === 'signed-out') await leave('refused');
      else if (standing.value.kind === 'asking') standing.value = { kind: 'asking', problem };
      return problem.kind !== 'signed-out';
    }
  };
  const showKept = async (): Promise<void> => {
    const account = await storage.notes.read(accountNote);
    if (standing.value.kind !== 'asking' || !isAccount(account)) return;
    standing.value = { kind: 'in', account, isProven: false };
  };
  tabs.onNews((news) => void (news === 'standing' && ask()));
  // A gateway that restarts answers later, and so does a database that its browser is slow to open, say after a crash.
  const keepAsking = async (): Promise<void> => {
    for (let attempt = 0; standing.value.kind === 'asking'; attempt += 1) {
      if (attempt > 0) await deps.clock.sleep(backoffMs(attempt - 1, deps.random));
      await ask();
      await showKept();
    }
  };
  void showKept();
  void keepAsking();
  return {
    standing,
    ask,
    signIn: async (work) => {
      await work();
      const isIn = await ask();
      if (isIn) tabs.tell('standing');
      return isIn;
    },
    signOut: async () => {
      await client.auth.signOut();
      await leave('asked');
      tabs.tell('standing');
    },
  };
}

function isAccount(value: unknown): value is Account {
  return typeof value === 'object' && value !== null && 'id' in value && 'display_name' in value;
}
