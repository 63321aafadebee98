/*
 * Cancelling a command that says nothing: from the request to its recorded end, and what is left of it on the host, which is this
 * machine. Its processes are found by the lease in their environment.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { type Library, type StartedOnHost } from './contenders/library.ts';
import type { SshContender } from './contenders/contender.ts';
import { clock } from './world.ts';

export interface CancelRound {
  readonly tookMs: number;
  /* One command through OpenSSH's client, at the same time of the day: what two round trips and two shells take. */
  readonly roundTripMs: number;
  readonly survivors: number;
}

/* A login shell and two exec: some hundredths of a second. */
const looksMax = 5_000;
const lookMs = 2;

export async function measureCancel(
  library: Library,
  basis: SshContender,
  trials: number,
): Promise<readonly CancelRound[]> {
  const rounds: CancelRound[] = [];
  for (let trial = 0; trial < trials; trial += 1) {
    const started = await library.start(['sleep', '600']);
    await untilThere(started);
    const sinceMs = clock.monotonicMs();
    await started.run.cancel('manual-cancel', 'bench');
    await started.run.wait();
    const tookMs = clock.monotonicMs() - sinceMs;
    const survivors = processesWith(started.leaseId).length;
    await library.quiet();
    rounds.push({ tookMs, survivors, roundTripMs: await basis.once() });
  }
  return rounds;
}

/* It has become what was asked for: before that, it is the bootstrap that would be ended. */
async function untilThere({ leaseId }: StartedOnHost): Promise<void> {
  for (let look = 1; ; look += 1) {
    const names = processesWith(leaseId).map((pid) => read(`/proc/${pid}/comm`).trim());
    if (names.includes('sleep')) return;
    if (look > looksMax) throw new Error('the command did not start on the host');
    await clock.sleep(lookMs);
  }
}

function processesWith(leaseId: string): readonly string[] {
  const entry = `CLAWDFATHER_LEASE_ID=${leaseId}`;
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(entry));
}

/* Of a process that may be gone meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
