/*
 * What was marked as removed goes now, files included. Age and number are not
 * looked at: they are `clf gc`'s business.
 */
import type { Supervisor } from '@clawdfather/supervisor';

const everythingElseStays = {
  ageMs: Number.POSITIVE_INFINITY,
  runsMax: Number.POSITIVE_INFINITY,
  bytesMax: Number.POSITIVE_INFINITY,
};

export async function forgetRemoved(supervisor: Pick<Supervisor, 'gc'>): Promise<void> {
  await supervisor.gc({ policy: everythingElseStays });
}
