/*
 * `replaceExisting`: the run that holds a scope is ended before the next one starts in it.
 *
 * It is ended through its shim, whoever owns it (O4), and its end is awaited. A run of which nothing can be proven
 * keeps the scope, and the caller is told so (O7); a person may force it, and then the old run keeps running, if it
 * does, without the scope.
 */
import type { SupervisorContext } from '../context.ts';
import { SupervisorError } from '../errors.ts';
import { graceMs, killMs, scopeMarginMs } from '../limits.ts';
import type { ManagedRun, RunId, RunRecord, SpawnInput } from '../types.ts';

const liveStates = ['starting', 'running', 'exiting'] as const;

export async function freeScope(
  context: SupervisorContext,
  attach: (runId: RunId) => Promise<ManagedRun>,
  input: SpawnInput,
): Promise<void> {
  const { scopeKey } = input;
  if (scopeKey === undefined) return;
  const [holder] = context.registry.list({
    scopeKey,
    states: liveStates,
    includeRemoved: true,
    limit: 1,
  });
  if (holder === undefined || holder.runId === input.runId) return;
  if (await end(context, await attach(holder.runId))) return;
  if (input.force !== true) throw uncertain(holder);
  await context.registry.write((tx) => tx.dropScope(holder.runId));
}

/* False when it could not be ended within the time its own ladder takes, and a margin. */
async function end(context: SupervisorContext, run: ManagedRun): Promise<boolean> {
  const limit = new AbortController();
  const timer = context.clock.timer(graceMs + killMs + scopeMarginMs, () => limit.abort());
  try {
    await run.cancel('manual-cancel', 'replaced');
    await run.wait(limit.signal);
    return await isRecorded(context, run.runId, limit.signal);
  } catch {
    /* Unreachable or too slow: uncertain, which is what the caller is told. */
    return false;
  } finally {
    timer.cancel();
  }
}

/* The scope is free once its owner has recorded the end; a dead owner's run is recorded by us. */
async function isRecorded(
  { registry, clock }: SupervisorContext,
  runId: RunId,
  signal: AbortSignal,
): Promise<boolean> {
  while (registry.get(runId)?.state !== 'exited') await clock.sleep(scopePollMs, signal);
  return true;
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
