/*
 * A login shell that does not do what it is told: rbash, nologin, a shell that ends in its own start files, a forced command.
 *
 * All of them look the same: the session was opened and ended with a code, and the header of the bootstrap never came. Their
 * sentences go to the person as they are; they are not read here.
 */
import { bootstrapExit } from './bootstrap.ts';

export interface ShellEvidence {
  /* False on a terminal, where there is none. */
  readonly isHeaderExpected: boolean;
  readonly isHeaderSeen: boolean;
  /* Undefined: the command ended without one, by a signal or with the connection. */
  readonly exitCode: number | undefined;
}

/* `unknown`: the evidence does not tell. */
export function restrictedShell(evidence: ShellEvidence): 'yes' | 'no' | 'unknown' {
  if (evidence.isHeaderSeen) return 'no';
  if (!evidence.isHeaderExpected || evidence.exitCode === undefined) return 'unknown';
  // Our own shell ran: its input ended before the script had come.
  return evidence.exitCode === bootstrapExit.noScript ? 'no' : 'yes';
}
