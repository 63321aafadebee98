/*
 * Ends what a dead shim left, when no spawnd was there to do it (T6, T8): by the exact lease id in the
 * environment, the user and the start time, through pidfds. The shim's program does it, because only it can pin a
 * process before signalling it.
 */
import { execFile } from 'node:child_process';

export interface SweepResult {
  readonly found: number;
  readonly killed: number;
  readonly left: number;
}

/* Its own limit is 5 s; beyond that something is very wrong, and nothing is known. */
const sweepMsMax = 15_000;

export interface SweepInput {
  readonly leaseId: string;
  readonly notBeforeTicks: number;
  /* The user the run was given to; ours when absent. */
  readonly uid: number | undefined;
}

export async function sweepLease(
  binaryPath: string,
  { leaseId, notBeforeTicks, uid = process.getuid?.() ?? 0 }: SweepInput,
): Promise<SweepResult> {
  const args = ['sweep', leaseId, String(uid), String(notBeforeTicks)];
  const { promise, resolve } = Promise.withResolvers<SweepResult>();
  execFile(binaryPath, args, { timeout: sweepMsMax, env: {} }, (_error, stdout) => {
    resolve(parseSweep(stdout));
  });
  return promise;
}

/* Anything but its one line of JSON means that it is not known what is left. */
function parseSweep(stdout: string): SweepResult {
  const match = /^\{"found":(\d+),"killed":(\d+),"left":(\d+)\}\s*$/.exec(stdout);
  if (match === null) return { found: 0, killed: 0, left: 1 };
  return { found: Number(match[1]), killed: Number(match[2]), left: Number(match[3]) };
}
