/*
 * How the command line itself ends: the numbers of docs/cli.md in one place.
 *
 * The command's own code passes through untouched. Reserved numbers follow
 * timeout(1), env(1) and the shell, which is what scripts already expect:
 * 124 a deadline, 125 nothing of the command's to pass on, 126 and 127 it could
 * not be started, 128+n it died by signal n.
 */
import { constants } from 'node:os';
import { hasCode } from '@clawdfather/kit';
import type { RunExit } from '@clawdfather/supervisor';

export const exitOk = 0;
export const exitChecksFailed = 1;
/* EX_TEMPFAIL of sysexits.h: what was begun did not come to its end, and may be tried again. */
export const exitInterrupted = 75;
export const exitTimedOut = 124;
export const exitOwnError = 125;
export const exitNotExecutable = 126;
export const exitNotFound = 127;

/* Either a code, or the signal by which this process should die so that the shell sees it. */
export type ExitStatus =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

export function codeStatus(code: number): ExitStatus {
  return { kind: 'code', code };
}

/* As much of an exit as its number needs. */
interface EndedExit {
  readonly reason: RunExit['reason'];
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
  readonly failure?: RunExit['failure'];
}

/*
 * T3 and T4: the root's code stands, but a timeout is never shown as success
 * and a run that failed for another cause never as 0.
 */
export function exitCodeOf(exit: EndedExit): number {
  switch (exit.reason) {
    case 'overall-timeout':
    case 'no-output-timeout':
      return exitTimedOut;
    case 'exit':
      return rootCode(exit) ?? exitOwnError;
    case 'spawn-error':
      return startFailureCode(exit.failure);
    // A command that ends tidily when it is told to has not done what it was started for.
    case 'manual-cancel':
    case 'owner-lost':
    case 'signal':
    case 'ownership-escape':
    case 'out-of-memory':
    case 'host-rebooted':
    case 'container-restarted':
    case 'reconciled-stale':
    case 'unknown':
      return rootCode(exit) || exitOwnError;
  }
}

export function signalExitCode(signal: string): number | undefined {
  const number = (constants.signals as Readonly<Record<string, number>>)[signal];
  return number === undefined ? undefined : 128 + number;
}

function rootCode(exit: EndedExit): number | undefined {
  if (exit.code !== undefined) return exit.code;
  return exit.signal === undefined ? undefined : signalExitCode(exit.signal);
}

/* As env(1) tells it: 127 the program is not there, 126 it is not executable; the rest is ours. */
function startFailureCode(failure: RunExit['failure']): number {
  if (failure?.stage !== 'exec') return exitOwnError;
  return failure.errno === constants.errno.ENOENT ? exitNotFound : exitNotExecutable;
}

/* The same for the error that a spawn throws. */
export function spawnFailureCode(error: unknown): number {
  if (!hasCode(error, 'spawn-failed')) return exitOwnError;
  const { stage, errno } = error.detail;
  return startFailureCode({ stage: String(stage), errno: Number(errno) });
}
