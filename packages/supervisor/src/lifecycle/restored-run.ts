/*
 * The lifecycle state of a run that another owner, or an earlier life of ours,
 * left in the registry: where `nextRun` goes on after adoption (O2).
 */
import type { RunRecord } from '../types.ts';
import type { RunLifecycle, StartedProcess } from './run-lifecycle.ts';

export function restoredRun(record: RunRecord): RunLifecycle {
  if (record.exit !== undefined) {
    return {
      kind: 'exited',
      exit: record.exit,
      isTreeGone: record.treeEndedAtMs !== undefined,
    };
  }
  const { leftovers } = record;
  const process = processOf(record);
  if (record.state === 'exiting') {
    // Who asked is in the journal; until it is read the honest cause is unknown.
    return { kind: 'exiting', leftovers, process, cause: { reason: 'unknown', actor: undefined } };
  }
  if (process === undefined || record.state === 'starting') {
    return { kind: 'starting', leftovers, process };
  }
  return { kind: 'running', leftovers, process };
}

function processOf(record: RunRecord): StartedProcess | undefined {
  const { pid, processGroupId, startTicks, shimPid, shimStartTicks, runDirDev, runDirIno } = record;
  if (pid === undefined || processGroupId === undefined || startTicks === undefined) {
    return undefined;
  }
  if (shimPid === undefined || shimStartTicks === undefined) return undefined;
  if (runDirDev === undefined || runDirIno === undefined) return undefined;
  const { startedAtMs } = record;
  const shim = { shimPid, shimStartTicks, runDirDev, runDirIno };
  return { pid, processGroupId, startTicks, ...shim, startedAtMs };
}
