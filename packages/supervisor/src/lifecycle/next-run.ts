/*
 * The lifecycle of a run as one pure transition (docs/lifecycles.md):
 *
 *   starting ──► running ──► exiting ──► exited
 *
 * 1. `running` needs the shim's report and then the registry's commit.
 * 2. A cancel or a deadline leads to `exiting` with the first cause; later ones
 *    change nothing. The settled reason is the shim's record (T5), which saw the
 *    race between exit and timeout; the cause only says what was asked for.
 * 3. The end of the tree settles a run; under `keep` the root's own exit does (T4).
 * 4. `exited` is terminal: one `finalise` per life, no event brings a run back,
 *    the exit never changes. Only how the rest of its tree ended may still be learnt.
 */
import { assertNever } from '@clawdfather/kit';
import { settlesWithRoot } from '../run/records/run-exit.ts';
import type { RunExit, TreeEnd } from '../run-end.ts';
import type {
  ExitCause,
  RunAction,
  RunEvent,
  RunLifecycle,
  RunTransition,
  StartedProcess,
} from './run-lifecycle.ts';

type Live = Exclude<RunLifecycle, { kind: 'exited' }>;
type Exited = Extract<RunLifecycle, { kind: 'exited' }>;

export function nextRun(state: RunLifecycle, event: RunEvent): RunTransition {
  return state.kind === 'exited' ? nextAfterExit(state, event) : nextWhileLive(state, event);
}

function nextWhileLive(state: Live, event: RunEvent): RunTransition {
  switch (event.type) {
    case 'spawned':
      return afterSpawned(state, event.process);
    case 'committed':
      return afterCommitted(state);
    case 'cancel-requested':
      return afterCancel(state, { reason: event.reason, actor: event.actor });
    case 'terminating':
      return afterTerminating(state, event.cause);
    case 'spawn-failed':
    case 'voided':
      return afterNothingStarted(state, event);
    case 'root-exited':
      return afterRootExited(state, event.exit);
    case 'ended':
    case 'shim-lost':
    case 'reconciled':
      return settled(event.exit, event.isTreeGone, event.type);
    default:
      return assertNever(event);
  }
}

function afterSpawned(state: Live, process: StartedProcess): RunTransition {
  if (state.process !== undefined) return unchanged(state, 'the process is known already');
  const commit: RunAction = { type: 'commit-process', process };
  if (state.kind === 'exiting') {
    // The void came too late: the shim had claimed. The cancel still stands.
    return {
      state: { ...state, process },
      actions: [commit, { type: 'terminate', cause: state.cause }],
      why: 'started although a cancel was asked for; ending it',
    };
  }
  return {
    state: { ...state, process },
    actions: [commit],
    why: 'started; waiting for the commit',
  };
}

function afterCommitted(state: Live): RunTransition {
  if (state.kind !== 'starting') return unchanged(state, `committed while ${state.kind}`);
  if (state.process === undefined) return unchanged(state, 'committed before it was started');
  return {
    state: { kind: 'running', leftovers: state.leftovers, process: state.process },
    actions: [],
    why: 'started and committed',
  };
}

function afterCancel(state: Live, cause: ExitCause): RunTransition {
  if (state.kind === 'exiting') return unchanged(state, 'already exiting, the first cause stands');
  const { leftovers, process } = state;
  const way: RunAction =
    process === undefined ? { type: 'void-intent' } : { type: 'terminate', cause };
  return {
    state: { kind: 'exiting', leftovers, process, cause },
    actions: [{ type: 'commit-exiting', cause }, way],
    why: `cancel: ${cause.reason}`,
  };
}

function afterTerminating(state: Live, cause: ExitCause): RunTransition {
  if (state.kind === 'exiting') return unchanged(state, 'already exiting, the first cause stands');
  const { leftovers, process } = state;
  return {
    state: { kind: 'exiting', leftovers, process, cause },
    actions: [{ type: 'commit-exiting', cause }],
    why: `the shim is ending it: ${cause.reason}`,
  };
}

function afterNothingStarted(
  state: Live,
  event: Extract<RunEvent, { type: 'spawn-failed' | 'voided' }>,
): RunTransition {
  if (state.process !== undefined) return unchanged(state, `${event.type} after it was started`);
  if (event.type === 'voided' && state.kind === 'exiting') {
    // Nothing ran, so there is no shim's record: the cancel itself is the truth.
    return settled({ ...event.exit, ...state.cause }, true, event.type);
  }
  return settled(event.exit, true, event.type);
}

function afterRootExited(state: Live, exit: RunExit): RunTransition {
  if (settlesWithRoot(state.leftovers, exit.reason))
    return settled(exit, false, 'root-exited, kept');
  if (state.kind === 'exiting')
    return unchanged(state, 'the root is gone, its tree is being ended');
  const { leftovers, process } = state;
  const cause: ExitCause = { reason: exit.reason, actor: exit.actor };
  return {
    state: { kind: 'exiting', leftovers, process, cause },
    actions: [{ type: 'commit-exiting', cause }],
    why: 'the root is gone, its tree is being ended',
  };
}

function nextAfterExit(state: Exited, event: RunEvent): RunTransition {
  if (state.isTreeGone) return unchanged(state, `${event.type} after the end`);
  switch (event.type) {
    case 'cancel-requested': {
      // The shim holds the leftovers until it is asked to end them (T4); the exit stands.
      const cause: ExitCause = { reason: event.reason, actor: event.actor };
      return { state, actions: [{ type: 'terminate', cause }], why: 'ending what was left' };
    }
    case 'ended':
    case 'shim-lost':
    case 'reconciled': {
      if (!event.isTreeGone) return unchanged(state, `${event.type}: some of it is still there`);
      const { treeEnd } = event.exit;
      return {
        state: { ...state, exit: withTreeEnd(state.exit, treeEnd), isTreeGone: true },
        actions: [{ type: 'commit-tree-gone', treeEnd }],
        why: 'what was left is gone too',
      };
    }
    default:
      return unchanged(state, `${event.type} after the exit`);
  }
}

function withTreeEnd(exit: RunExit, treeEnd: TreeEnd | undefined): RunExit {
  return treeEnd === undefined ? exit : { ...exit, treeEnd };
}

function settled(exit: RunExit, isTreeGone: boolean, why: string): RunTransition {
  return {
    state: { kind: 'exited', exit, isTreeGone },
    actions: [{ type: 'finalise', exit, isTreeGone }],
    why: `${why}: ${exit.reason}`,
  };
}

function unchanged(state: RunLifecycle, why: string): RunTransition {
  return { state, actions: [], why };
}
