/*
 * Runs as a gateway tells of them: finding the one that is meant, and how one ended.
 */
import type { Client } from '@clawdfather/sdk';
import { CliError } from '../errors.ts';
import { exitCodeOf, exitOwnError } from '../exit-status.ts';
import { allPages } from './all-pages.ts';

export type RemoteSummary = Awaited<ReturnType<Client['runs']['list']>>['items'][number];
export type RemoteRun = Awaited<ReturnType<Client['runs']['get']>>;
export type RemoteExit = NonNullable<RemoteRun['exit']>;

const idCharacters = 16;
/* The newest; older ones are named in full. */
const lookedAtMax = 1_000;

/* An id, or any unique beginning of one. */
export async function findRemoteRun(client: Client, typed: string): Promise<string> {
  if (typed.length === idCharacters) return typed;
  const runs = await allPages((query) => client.runs.list({ query }), lookedAtMax);
  const [one, ...others] = runs.filter(({ runId }) => typed !== '' && runId.startsWith(typed));
  if (one === undefined) {
    throw new CliError('run-not-found', `no run of this gateway begins with "${typed}"`, {
      hint: 'See all of them, finished ones too: clf runs ls -a',
      detail: { typed },
    });
  }
  if (others.length === 0) return one.runId;
  const ids = [one, ...others].slice(0, 5).map(({ runId }) => runId);
  throw new CliError('run-ambiguous', `several runs match "${typed}"`, {
    hint: `Say which: ${ids.join(', ')}`,
    detail: { typed, matches: others.length + 1 },
  });
}

/* The numbers of docs/cli.md, as for a run of this machine. */
export function remoteExitCode(exit: Pick<RemoteExit, 'reason' | 'code' | 'signal'>): number {
  const { reason, code, signal } = exit;
  // Why a start failed is told in words only.
  if (reason === 'spawn-error') return exitOwnError;
  return exitCodeOf({
    reason,
    ...(code === null ? {} : { code }),
    ...(signal === null ? {} : { signal }),
  });
}
