/*
 * `replaceExisting`: the run that holds a scope is ended before the next one starts in it.
 *
 * It is ended through its shim, whoever owns it (O4), and its end is awaited. A run of which nothing can be proven
 * keeps the scope, and the caller is told so (O7); a person may force it, and then the old run keeps running, if it
 * does, without the scope.
 */
import type { SupervisorContext } from '../../context.ts';
import { SupervisorError } from '../../errors.ts';
import { graceMs, killMs, scopeMarginMs } from '../../limits.ts';
import { liveRunStates } from '../../run-states.ts';
import type { SpawnInput } from '../../spawn-input.ts';
import type { ManagedRun, RunId, RunRecord } from '../../types.ts';

export interface ScopeParts {
  readonly attach: (runId: RunId) => Promise<ManagedRun>;
  /* Records what has ended without an owner, and whose spawn came to nothing. */
  readonly reconcile: () => Promise<unknown>;
}

export async function freeScope(
  context: SupervisorContext,
  parts: ScopeParts,
  input: SpawnInput,
): Promise<void> {
  const { scopeKey } = input;
  if (scopeKey === undefined) return;
  const [holder] = context.registry.list({
    scopeKey,
    states: liveRunStates,
    includeRemoved: true,
    limit: 1,
  });
  if (holder === undefined || holder.runId === input.runId) return;
  if (!context.live.has(holder.runId)) await parts.reconcile();
  if (isRecorded(context, holder.runId) || (await end(context, parts, holder.runId))) return;
  if (input.force !== true) throw uncertain(holder);
  await context.registry.write((tx) => tx.dropScope(holder.runId));
}

/* False when it could not be ended within the time its own ladder takes, and a margin. */
async function end(
  context: SupervisorContext,
  { attach, reconcile }: ScopeParts,
  runId: RunId,
): Promise<boolean> {
  const limit = new AbortController();
  const timer = context.clock.timer(graceMs + killMs + scopeMarginMs, () => limit.abort());
  try {
    const run = await attach(runId);
    await run.cancel('manual-cancel', 'replaced');
    await run.wait(limit.signal);
    /* The scope is free once the end is recorded: by its owner or, if that is dead, by us. */
    while (!isRecorded(context, runId)) {
      if (!context.live.has(runId)) await reconcile();
      await context.clock.sleep(scopePollMs, limit.signal);
    }
    return true;
  } catch {
    /* Unreachable or too slow: uncertain, which is what the caller is told. */
    return false;
  } finally {
    timer.cancel();
  }
}

function isRecorded({ registry }: SupervisorContext, runId: RunId): boolean {
  return registry.get(runId)?.state === 'exited';
}

const scopePollMs = 10;

function uncertain(holder: RunRecord): SupervisorError {
  return new SupervisorError(
    'scope-uncertain',
    `run ${holder.runId} holds the scope and could not be verified or ended`,
    {
      detail: { runId: holder.runId, scopeKey: holder.scopeKey ?? '' },
      hint: 'Look at it, then force the replacement if you accept that it may still run.',
    },
  );
}
