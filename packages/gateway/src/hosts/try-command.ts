/*
 * Whether commands can run on a host that let us in. sshd with `MaxSessions 1` gives no session beside that of the ping, and some login
 * shells run nothing (nologin, rbash, a forced command): better said by a test of the connection than by the first command.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@clawdfather/kit';
import { type Master, type MasterCause, parseReport } from '@clawdfather/ssh';
import { runThrough } from './through-master.ts';

export interface TryDeps {
  readonly clock: Clock;
  readonly shimPath: string;
}

/* Its session has to be open first, or the host would have room for the other one. Without an answer the host is asked all the same. */
const pingMs = 2_000;
const lookEveryMs = 20;
const limitMs = 10_000;
/* As every command begins: the login shell has to hand over to `sh`. */
const execString = `exec sh -c 'echo CLF-SHELL'`;

/* Why none can; undefined: they can, or there was no answer that would tell. */
export async function tryCommand(
  { clock, shimPath }: TryDeps,
  master: Master,
): Promise<Extract<MasterCause, 'max-sessions' | 'restricted-shell'> | undefined> {
  const { directory, socketPath } = master.place;
  const untilMs = clock.monotonicMs() + pingMs;
  while (isPingDue(master) && clock.monotonicMs() < untilMs) await clock.sleep(lookEveryMs);
  // In the directory of the master, which goes with it.
  const reportPath = join(directory, 'room');
  const command = { execString, limitMs, reportPath };
  const answer = await runThrough({ clock, shimPath, socketPath }, command);
  const { lines } = parseReport(await readFile(reportPath, 'utf8').catch(() => ''));
  if (lines.some(({ kind }) => kind === 'refused')) return 'max-sessions';
  // 255: the connection was lost, which its master tells.
  if (answer === undefined || answer.code === 255) return undefined;
  return /^CLF-SHELL$/m.test(answer.stdout) ? undefined : 'restricted-shell';
}

function isPingDue(master: Master): boolean {
  const state = master.state();
  return state.status === 'live' && state.isAnswerDue;
}
