/*
 * Input that arrives once, whenever the sender dies (I1).
 *
 * Stages: 1 committed to the outbox with its offset, 2 sent at that offset, 3 trimmed once the shim has accepted it.
 * Killed after 1: the adopter sends it. Killed after 2: the adopter sends it again and the shim drops what it has.
 * Each send sends everything that waits, in order and in pieces: what an earlier attempt could not deliver comes first, and input
 * that the run does not take uses little memory.
 */
import { hasCode } from '@clawdfather/kit';
import type { SupervisorContext } from '../../context.ts';
import { SupervisorError } from '../../errors.ts';
import type { RunKey } from '../../registry/fence.ts';
import type { Registry } from '../../registry/registry.ts';
import type { RunId } from '../../types.ts';
import type { ControlLine } from '../shim-link/control-line.ts';
import type { OwnedRun } from '../own/live-runs.ts';
import { refusalOf } from '../shim-link/refusal.ts';

type OutboxDeps = Pick<SupervisorContext, 'registry'>;

export interface DurableInput {
  readonly bytes: Uint8Array;
  /* Where the caller believes that they belong. Absent: at the end. */
  readonly offset?: number;
}

export async function sendDurably(
  deps: OutboxDeps,
  owned: OwnedRun,
  { bytes, offset }: DurableInput,
): Promise<void> {
  const { runId, epoch } = owned.run.identity;
  await deps.registry.write((tx) => tx.appendInput({ runId, epoch }, bytes, offset));
  return flush(deps, owned);
}

export interface OperatorInput {
  readonly runId: RunId;
  readonly control: ControlLine;
  readonly bytes: Uint8Array;
  readonly offset: number;
}

type OutboxRegistry = Pick<Registry, 'get' | 'nextInput' | 'write'>;

/*
 * For a run of another owner, or of none: its outbox is in the registry that all share. Owner and operator may send the
 * same entries at once; the shim takes each once.
 */
export async function sendAsOperator(
  registry: OutboxRegistry,
  { runId, control, bytes, offset }: OperatorInput,
): Promise<void> {
  const append = async (): Promise<RunKey> => {
    const epoch = registry.get(runId)?.epoch;
    if (epoch === undefined) throw new SupervisorError('run-not-found', `no run ${runId} is known`);
    await registry.write((tx) => tx.appendInput({ runId, epoch }, bytes, offset));
    return { runId, epoch };
  };
  /* It changed hands in between: once more, with the new owner's epoch. */
  const key = await append().catch((error: unknown) => {
    if (!hasCode(error, 'epoch-stale')) throw error;
    return append();
  });
  await sendAll(registry, { control, key }).catch((error: unknown) => {
    /* Sent; the new owner finds it accepted and forgets it. */
    if (!hasCode(error, 'epoch-stale')) throw error;
  });
}

/* After adoption: everything the predecessor committed and may or may not have sent. */
export function resendOutbox(deps: OutboxDeps, owned: OwnedRun): void {
  if (deps.registry.nextInput(owned.run.identity.runId, 0) === undefined) return;
  /* The run is over, or not ours any more; either way this input is not wanted here. */
  flush(deps, owned).catch(() => undefined);
}

/* One at a time; the next one waits for this one, but does not fail with it. */
function flush(deps: OutboxDeps, owned: OwnedRun): Promise<void> {
  const { identity, control } = owned.run;
  const key = { runId: identity.runId, epoch: identity.epoch };
  const sent = owned.outbox.then(() => sendAll(deps.registry, { control, key }));
  owned.outbox = sent.catch(() => undefined);
  return sent;
}

async function sendAll(
  registry: Pick<Registry, 'nextInput' | 'write'>,
  { control, key }: { readonly control: ControlLine; readonly key: RunKey },
): Promise<void> {
  let from = 0;
  for (;;) {
    const piece = registry.nextInput(key.runId, from);
    if (piece === undefined) return;
    const { offset, bytes, isLast } = piece;
    const ok = await control.input(bytes, offset).catch((error: unknown) => {
      throw refusalOf(error);
    });
    if (isLast) await registry.write((tx) => tx.trimInput(key, ok.inputOffset));
    from = offset + bytes.length;
  }
}
