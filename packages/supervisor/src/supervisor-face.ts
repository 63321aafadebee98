/*
 * The supervisor's methods over its context: what callers see.
 */
import type { FrameMarks } from '@clawdfather/shim';
import { actorOf, type SupervisorContext } from './context.ts';
import { SupervisorError } from './errors.ts';
import { examineProcess } from './evidence/process-evidence.ts';
import { createStartWatch, type StartWatch } from './launch/start-watch.ts';
import { collectGarbage } from './retention/collect-garbage.ts';
import { findStalls } from './run/output/find-stalls.ts';
import type { OwnedRun } from './run/own/live-runs.ts';
import { createManagedRun } from './run/handle/managed-run.ts';
import { ownedHandle } from './run/handle/owned-handle.ts';
import { freeScope } from './run/spawn/replace-scope.ts';
import { findLastOutput } from './run/output/last-output.ts';
import { createOutputLooks } from './run/output/output-looks.ts';
import { readRunDetail } from './run/records/run-detail.ts';
import { exitWithoutRecord } from './run/records/run-exit.ts';
import { runDirOf, voidIntent } from './run/records/run-files.ts';
import { spawnRun } from './run/spawn/spawn-run.ts';
import { watchRun } from './run/handle/watched-run.ts';
import { readUses } from './use/read-uses.ts';
import type { Cursor, ManagedRun, RunRecord, Supervisor } from './types.ts';

export type Parts = Pick<Supervisor, 'close' | 'reconcile'>;

export function createFace(context: SupervisorContext, parts: Parts): Supervisor {
  const { registry, live } = context;
  const startWatch = createStartWatch<OwnedRun>(context.clock, (owned) =>
    startOverdue(context, owned),
  );
  const handleOf = (owned: OwnedRun, start?: Cursor): ManagedRun =>
    ownedHandle(context, owned, start);

  const attach = createAttach(context, handleOf);
  const marks: FrameMarks = new Map();
  const looks = createOutputLooks();
  const runDirOfRecord = ({ runId }: RunRecord) => runDirOf(context.stateDir.runsDir, runId);

  return {
    instanceId: registry.instanceId,
    get generation() {
      return context.owner().generation;
    },
    unwritable: context.unwritable,
    spawn: async (input) => {
      if (context.unwritable !== undefined) throw context.unwritable;
      return spawnRun(
        {
          context,
          handleOf,
          attach,
          freeScope: (asked) => freeScope(context, { attach, reconcile: parts.reconcile }, asked),
          watchStart: (owned) => watchStart(startWatch, owned),
        },
        input,
      );
    },
    cancel: async (runId, reason = 'manual-cancel', actor) => {
      const owned = live.get(runId);
      if (owned !== undefined) return owned.run.cancel(reason, actor ?? actorOf(context.owner()));
      return (await attach(runId)).cancel(reason, actor);
    },
    attach,
    list: (filter) => registry.list(filter),
    count: (filter) => registry.count(filter),
    get: (runId) => registry.get(runId),
    examine: (pid) => examineProcess(context.host, context.processTable, pid),
    stalls: (records) => findStalls(context, records),
    detail: (record) => readRunDetail(runDirOfRecord(record), record),
    outputTail: (record, breathe) => looks.tailOf(runDirOfRecord(record), record, breathe),
    lastOutput: (record, want) =>
      findLastOutput({ marks, looks }, { runDir: runDirOfRecord(record), record }, want),
    uses: (records) => readUses(context, records),
    inputOffset: (runId) => registry.inputOffset(runId),
    owners: () => registry.owners(),
    gc: (options) => collectGarbage(context, options),
    remove: async (runId) => {
      const record = registry.get(runId);
      if (record === undefined) throw notFound(runId);
      await registry.write((tx) => tx.markRemoved({ runId, epoch: record.epoch }));
    },
    explain: async (runId, explanation) => {
      const record = registry.get(runId);
      if (record === undefined) return;
      await registry.write((tx) => tx.explain({ runId, epoch: record.epoch }, explanation));
    },
    reconcile: parts.reconcile,
    close: async () => {
      startWatch.close();
      await parts.close();
    },
  };
}

function createAttach(
  context: SupervisorContext,
  handleOf: (owned: OwnedRun, start?: Cursor) => ManagedRun,
): Supervisor['attach'] {
  const { registry, live, clock, processTable, signal } = context;
  return async (runId, start) => {
    const owned = live.get(runId);
    if (owned !== undefined) {
      await owned.run.started;
      return handleOf(owned, start);
    }
    const record = registry.get(runId);
    if (record === undefined) throw notFound(runId);
    return createManagedRun(
      watchRun(record, {
        runDir: runDirOf(context.stateDir.runsDir, runId),
        clock,
        processTable,
        actor: actorOf(context.owner()),
        signal,
        registry,
        reread: () => registry.get(runId),
        isUnverifiable: () => context.unverifiable.has(runId),
      }),
      start,
    );
  };
}

function watchStart(watch: StartWatch<OwnedRun>, owned: OwnedRun): void {
  if (owned.run.state.kind !== 'starting') return;
  const remove = (): void => watch.remove(owned);
  watch.add(owned);
  owned.run.started.then(remove, remove);
}

/* S2: no answer came in time. If the intent can be voided, nothing was started and nothing will be. */
function startOverdue(context: SupervisorContext, { run }: OwnedRun): void {
  const { runId, runDir } = run.identity;
  if (voidIntent(runDir) === 'claimed') return;
  const detail = 'no process took the request in time; nothing was started';
  const exit = exitWithoutRecord(runId, 'spawn-error', {
    endedAtMs: context.clock.wallMs(),
    detail,
  });
  run.apply({ type: 'spawn-failed', exit });
}

function notFound(runId: string): SupervisorError {
  return new SupervisorError('run-not-found', `no run ${runId} is known`, {
    detail: { runId },
    hint: 'Its record may have been collected; "clawdfather ps -a" lists what there is.',
  });
}
