/*
 * The owner's times while a member is quiet, and while it does its worst, in turns.
 */
import { readdirSync, statSync } from 'node:fs';
import { createSystemClock } from '@clawdfather/kit';
import { makeUnixUser } from '@clawdfather/testkit';
import { spreadOf } from '../../measure/statistics.ts';
import { startServer } from '../server-process.ts';
import { type CallKind, type CallTimes, type OwnerCalls, openOwnerCalls } from './owner-calls.ts';

export const loadKinds = [
  'floods',
  'many floods',
  'busy runs',
  'starts',
  'lists',
  'bodies',
  'readers',
  'all',
] as const;

export interface LoadRound {
  /* p99 in ms, by kind of call, and of all calls together. */
  readonly quiet: Readonly<Record<CallKind | 'mix', number>>;
  readonly loaded: Readonly<Record<CallKind | 'mix', number>>;
}

export interface AccountsOptions {
  readonly directory: string;
  readonly rounds: number;
  /* Of each kind, in each turn. */
  readonly calls: number;
  readonly kinds: readonly string[];
}

const clock = createSystemClock();
/* What a load leaves behind, such as dirty pages and removals, is not the next one's. */
const settleMs = 1_500;

export async function measureAccounts(
  options: AccountsOptions,
): Promise<ReadonlyMap<string, readonly LoadRound[]>> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort());
  await using user = await makeUnixUser();
  await using ends = new AsyncDisposableStack();
  // However this ends, nothing of the member goes on.
  ends.defer(() => endProcessesOf(user.uid));
  await using server = await startServer('./our-server.ts', [options.directory, user.name]);
  const { url = '', token = '', memberToken = '' } = server.said;
  await using owner = await openOwnerCalls(url, token);
  await owner.measure(options.calls);
  const found = new Map<string, LoadRound[]>(options.kinds.map((kind) => [kind, []]));
  for (let round = 0; round < options.rounds; round += 1) {
    for (const kind of options.kinds) {
      const quiet = p99Of(await owner.measure(options.calls));
      const loaded = await underLoad(owner, options, [url, memberToken, kind]);
      found.get(kind)?.push({ quiet, loaded });
      process.stderr.write(`  ${kind}: ${quiet.mix.toFixed(1)} ms, ${loaded.mix.toFixed(1)} ms\n`);
      await clock.sleep(settleMs, stop.signal);
    }
  }
  return found;
}

async function endProcessesOf(uid: number): Promise<void> {
  for (let isLeft = true; isLeft; await clock.sleep(100)) {
    isLeft = false;
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      try {
        if (statSync(`/proc/${name}`).uid !== uid) continue;
        isLeft = true;
        process.kill(Number(name), 'SIGKILL');
      } catch {
        /* It ended by itself. */
      }
    }
  }
}

async function underLoad(owner: OwnerCalls, { calls }: AccountsOptions, args: readonly string[]) {
  await using _load = await startServer('./accounts/member-load.ts', args);
  return p99Of(await owner.measure(calls));
}

function p99Of(times: CallTimes): LoadRound['quiet'] {
  const { list, start, echo } = times;
  return {
    list: spreadOf(list).p99,
    start: spreadOf(start).p99,
    echo: spreadOf(echo).p99,
    mix: spreadOf([...list, ...start, ...echo]).p99,
  };
}
