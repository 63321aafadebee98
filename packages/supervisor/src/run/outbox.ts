/*
 * Input that arrives once, whenever the sender dies (I1).
 *
 * Stages: 1 committed to the outbox with its offset, 2 sent at that offset, 3 trimmed once the shim has accepted it.
 * Killed after 1: the adopter sends it. Killed after 2: the adopter sends it again and the shim drops what it has.
 */
import { hasCode } from '@clawdfather/kit';
import { ShimRefusedError } from '@clawdfather/shim';
import type { SupervisorContext } from '../context.ts';
import { SupervisorError } from '../errors.ts';
import type { OwnedRun } from './live-runs.ts';

export async function sendDurably(
  { registry }: Pick<SupervisorContext, 'registry'>,
  owned: OwnedRun,
  bytes: Uint8Array,
): Promise<void> {
  const { identity, control } = owned.run;
  const key = { runId: identity.runId, epoch: identity.epoch };
  const offset = await registry.write((tx) => tx.appendInput(key, bytes));
  const sent = owned.outbox.then(async () => {
    const ok = await control.input(bytes, offset).catch(refused);
    await registry.write((tx) => tx.trimInput(key, ok.inputOffset));
  });
  /* The next one waits for this one, but does not fail with it. */
  owned.outbox = sent.catch(() => undefined);
  return sent;
}

/* After adoption: everything the predecessor committed and may or may not have sent. */
export function resendOutbox(
  { registry }: Pick<SupervisorContext, 'registry'>,
  owned: OwnedRun,
): void {
  const { identity, control } = owned.run;
  const key = { runId: identity.runId, epoch: identity.epoch };
  const entries = registry.outbox(identity.runId);
  if (entries.length === 0) return;
  owned.outbox = owned.outbox
    .then(async () => {
      for (const { offset, bytes } of entries) {
        const ok = await control.input(bytes, offset);
        await registry.write((tx) => tx.trimInput(key, ok.inputOffset));
      }
    })
    /* The run is over, or not ours any more; either way nobody waits for this input. */
    .catch(() => undefined);
}

function refused(error: unknown): never {
  if (error instanceof ShimRefusedError && error.refusal === 'closed') {
    throw new SupervisorError('stdin-closed', 'the command has closed its input', { cause: error });
  }
  if (hasCode(error, 'shim-unreachable') || hasCode(error, 'link-lost')) {
    throw new SupervisorError('not-running', 'the run has ended', { cause: error });
  }
  throw error;
}
