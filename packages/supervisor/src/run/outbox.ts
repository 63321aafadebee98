/*
 * Input that arrives once, whenever the sender dies (I1).
 *
 * Stages: 1 committed to the outbox with its offset, 2 sent at that offset, 3 trimmed once the shim has accepted it.
 * Killed after 1: the adopter sends it. Killed after 2: the adopter sends it again and the shim drops what it has.
 * Whoever sends, sends all that waits, in order: what an earlier attempt could not deliver is not jumped over.
 */
import type { SupervisorContext } from '../context.ts';
import type { OwnedRun } from './live-runs.ts';
import { refusalOf } from './refusal.ts';

type OutboxDeps = Pick<SupervisorContext, 'registry'>;

export async function sendDurably(
  deps: OutboxDeps,
  owned: OwnedRun,
  bytes: Uint8Array,
): Promise<void> {
  const { runId, epoch } = owned.run.identity;
  await deps.registry.write((tx) => tx.appendInput({ runId, epoch }, bytes));
  return flush(deps, owned);
}

/* After adoption: everything the predecessor committed and may or may not have sent. */
export function resendOutbox(deps: OutboxDeps, owned: OwnedRun): void {
  if (deps.registry.outbox(owned.run.identity.runId).length === 0) return;
  /* The run is over, or not ours any more; either way nobody waits for this input. */
  flush(deps, owned).catch(() => undefined);
}

/* One at a time; the next one waits for this one, but does not fail with it. */
function flush(deps: OutboxDeps, owned: OwnedRun): Promise<void> {
  const sent = owned.outbox.then(() => sendAll(deps, owned));
  owned.outbox = sent.catch(() => undefined);
  return sent;
}

async function sendAll({ registry }: OutboxDeps, owned: OwnedRun): Promise<void> {
  const { identity, control } = owned.run;
  const key = { runId: identity.runId, epoch: identity.epoch };
  for (const { offset, bytes } of registry.outbox(identity.runId)) {
    const ok = await control.input(bytes, offset).catch((error: unknown) => {
      throw refusalOf(error);
    });
    await registry.write((tx) => tx.trimInput(key, ok.inputOffset));
  }
}
