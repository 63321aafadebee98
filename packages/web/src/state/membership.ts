/*
 * Whether this browser is signed in, and as whom.
 *
 * asking ──► in ──► out      Only a refusal of the gateway (401) means `out`. A gateway that does not answer says nothing about it,
 *    └──► out ◄──┘           so what was known stays.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Client } from '@clawdfather/sdk';
import { type Problem, problemOf } from '../data/problem.ts';

export type Account = AnswerOf<Api['auth']['me']>['account'];

export type Standing =
  | { readonly kind: 'asking'; readonly problem: Problem | undefined }
  | { readonly kind: 'in'; readonly account: Account }
  | { readonly kind: 'out' };

export interface Membership {
  readonly standing: ReadonlySignal<Standing>;
  /* Asks the gateway who this is. True: it is signed in, as far as is known. */
  ask(): Promise<boolean>;
  /* With the secret of a login link. Throws what the gateway refuses; true if the browser has kept the cookie. */
  signIn(link: string): Promise<boolean>;
  signOut(): Promise<void>;
}

export function createMembership(client: Client): Membership {
  const standing = signal<Standing>({ kind: 'asking', problem: undefined });
  const ask = async (): Promise<boolean> => {
    try {
      const { account } = await client.auth.me();
      standing.value = { kind: 'in', account };
      return true;
    } catch (error) {
      const problem = problemOf(error);
      if (problem.kind === 'signed-out') standing.value = { kind: 'out' };
      else if (standing.value.kind === 'asking') standing.value = { kind: 'asking', problem };
      return problem.kind !== 'signed-out';
    }
  };
  return {
    standing,
    ask,
    signIn: async (link) => {
      await client.auth.loginLink({ body: { link, cookie: true } });
      standing.value = { kind: 'asking', problem: undefined };
      return ask();
    },
    signOut: async () => {
      await client.auth.signOut();
      standing.value = { kind: 'out' };
    },
  };
}
