/*
 * Adoption: a run whose owner is gone gets us as its owner, in the middle of whatever it is doing.
 *
 * Stages (O3): the epoch is raised in the registry (the caller did that) → the shim accepts the claim → the outbox
 * is sent again, from the offset that the shim has accepted → news flow. If the shim has seen a higher epoch than
 * the registry, as after a rebuild or a restored backup, ours is raised above it first.
 */
import type { ControlLink } from '@clawdfather/shim';
import type { SupervisorContext } from '../context.ts';
import { restoredRun } from '../lifecycle/restored-run.ts';
import { resendOutbox } from '../run/input/outbox.ts';
import { claimRun, follow, ownRun } from '../run/own/own-run.ts';
import { readCookie, runDirOf } from '../run/records/run-files.ts';
import type { RunIdentity } from '../run/own/run-identity.ts';
import type { RunRecord } from '../types.ts';

export interface Adoption {
  readonly record: RunRecord;
  readonly epoch: number;
  readonly link: ControlLink;
}

/* False when the shim would not have us. */
export async function adoptRun(context: SupervisorContext, adoption: Adoption): Promise<boolean> {
  const { record, link } = adoption;
  const identity = await claim(context, adoption).catch((error: unknown) => {
    link.close();
    throw error;
  });
  if (identity === undefined) {
    link.close();
    return false;
  }
  const owned = ownRun(context, identity, restoredRun(record));
  resendOutbox(context, owned);
  follow(context, owned, link);
  return true;
}

async function claim(
  context: SupervisorContext,
  { record, epoch: taken, link }: Adoption,
): Promise<RunIdentity | undefined> {
  const { runId, leaseId, leftovers } = record;
  const runDir = runDirOf(context.stateDir.runsDir, runId);
  const epoch = Math.max(taken, link.hello.epoch + 1);
  if (epoch > taken) {
    await context.registry.write((tx) => tx.raiseEpoch({ runId, epoch: taken }, epoch));
  }
  const cookie = readCookie(runDir);
  if (cookie === undefined || !(await claimRun(context, link, epoch))) return undefined;
  return { runId, runDir, cookie, epoch, leaseId, leftovers };
}
