/*
 * From the shim's words to the lifecycle's: what a message means for the run. Only of a start that failed is the file looked at.
 */
import type { RunEvent as ShimEvent, StartRecord } from '@clawdfather/shim';
import type { RunEvent, RunLifecycle, StartedProcess } from '../../lifecycle/run-lifecycle.ts';
import type { RunIdentity } from '../own/run-identity.ts';
import { exitWithoutRecord, runExitOf, treeEndUnseen } from '../records/run-exit.ts';
import type { RunExit } from '../../run-end.ts';
import { explainStart } from '../spawn/explain-start.ts';
import { formatShimDied } from '../records/shim-died.ts';
import { millisecondsOf } from '../output/output-clock.ts';

export interface SpawnFailure {
  readonly stage: string;
  readonly errno: number;
  readonly message: string;
}

export interface Hearer {
  readonly identity: RunIdentity;
  readonly state: RunLifecycle;
  readonly wallMs: () => number;
  /* The last sign of life in its journal. */
  readonly lastSeenMs: () => number | undefined;
}

/* Undefined: news for readers, nothing for the lifecycle. */
export function lifecycleEventOf(
  event: ShimEvent,
  { identity, state, wallMs, lastSeenMs }: Hearer,
): RunEvent | undefined {
  const { runId } = identity;
  switch (event.type) {
    case 'started':
      return { type: 'spawned', process: startedProcessOf(event.start) };
    case 'spawn-error': {
      if (event.endFollows) return undefined;
      const detail = `${event.stage}: ${event.message}`;
      const exit = exitWithoutRecord(runId, 'spawn-error', {
        endedAtMs: wallMs(),
        detail,
        failure: { stage: event.stage, errno: event.errno },
      });
      return { type: 'spawn-failed', exit: explained(exit, identity) };
    }
    case 'terminating':
      return { type: 'terminating', cause: { reason: event.reason, actor: event.actor } };
    case 'exit':
      return { type: 'root-exited', exit: runExitOf(runId, { ...event, end: undefined }) };
    case 'end': {
      const exit = runExitOf(runId, event);
      const isNeverStarted = state.kind !== 'exited' && state.process === undefined;
      if (isNeverStarted && exit.reason === 'spawn-error') {
        return { type: 'spawn-failed', exit: explained(exit, identity) };
      }
      return { type: 'ended', exit, isTreeGone: event.end.isFinal };
    }
    case 'shim-lost': {
      const { shimPid, signal, swept } = event;
      const detail = formatShimDied({ shimPid, signal, ended: swept, isExitKnown: false });
      const killed = { pid: swept, pgid: 0, cgroup: 0 };
      const endedAtMs = wallMs();
      const exit = exitWithoutRecord(runId, 'unknown', {
        endedAtMs,
        lastSeenAtMs: lastSeenMs(),
        startedAtMs: state.kind === 'exited' ? undefined : state.process?.startedAtMs,
        detail,
        killed,
        treeEnd: treeEndUnseen(endedAtMs, swept),
      });
      return { type: 'shim-lost', exit, isTreeGone: true };
    }
    default:
      return undefined;
  }
}

/* Whoever looks later is told what the starter was told. */
function explained(exit: RunExit, { asked }: RunIdentity): RunExit {
  const { failure } = exit;
  if (asked === undefined || failure === undefined) return exit;
  return { ...exit, detail: explainStart(failure, asked) ?? exit.detail };
}

export function startedProcessOf(start: StartRecord): StartedProcess {
  return {
    pid: start.pid,
    processGroupId: start.pgid,
    startTicks: start.startTicks,
    shimPid: start.shimPid,
    shimStartTicks: start.shimStartTicks,
    runDirDev: start.dev,
    runDirIno: start.ino,
    startedAtMs: start.startedUs === undefined ? undefined : millisecondsOf(start.startedUs),
  };
}
