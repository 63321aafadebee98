/*
 * The life of a master, as one pure function: a state, an event and the time make the next state, and what is to be done.
 *
 *   idle → dialing → keying → signing → opening → live → draining → ended
 *
 * - A stage may be skipped: reports are read when a file changes, and a later fact proves the earlier ones.
 * - A start has 30 s in all. Then the run is ended, and the evidence says which stage it was stuck in.
 * - Live is quiet with the first ping that is missed, and lost after 90 s without a sign of life: then it is drained.
 *   Time in which we ourselves did not look (a frozen gateway) is not the host's silence.
 * - Draining never asks for STOP_LISTENING: that removes the socket, and neither the sweep of a command nor TERMINATE would find a way
 *   in. Who may start something is the gateway's to say.
 * - The first reason for draining stays the cause, whatever the run says when it ends.
 * - Ended is final, and has a cause. Whatever was live has its commands failed before.
 */
import { assertNever } from '@clawdfather/kit';
import type { MasterCause } from './cause-table.ts';
import type { DrainWhy } from './cause.ts';
import { masterDueAtMs, pingEveryMs, silenceMsMax, startStages } from './master-state.ts';
import type {
  DrainRung,
  Draining,
  Live,
  MasterEffect,
  MasterEvent,
  MasterState,
  StartStage,
} from './master-state.ts';

export interface MasterStep {
  readonly state: MasterState;
  readonly effects: readonly MasterEffect[];
}

export function nextMaster(state: MasterState, event: MasterEvent, atMs: number): MasterStep {
  switch (event.type) {
    case 'start':
    case 'adopted':
    case 'start-failed':
      return state.status === 'idle' ? begin(event, atMs) : step(state);
    case 'dialed':
      return advance(state, 'keying');
    case 'keyed':
      return advance(state, 'signing');
    case 'signed':
      return advance(state, 'opening');
    case 'opened':
      return isStarting(state) ? open(atMs) : step(state);
    case 'heard':
      return hear(state, atMs);
    case 'drain':
      return drain(state, event.why, atMs);
    case 'commands-ended':
      return isEndingCommands(state) ? climb(state, atMs) : step(state);
    case 'force':
      return force(state, atMs);
    case 'run-ended':
      return endRun(state, event.cause);
    case 'due':
      return afterDue(state, atMs);
    default:
      return assertNever(event);
  }
}

type BeginEvent = Extract<MasterEvent, { type: 'start' | 'adopted' | 'start-failed' }>;

function begin(event: BeginEvent, atMs: number): MasterStep {
  if (event.type === 'start-failed') return ended(event.cause);
  if (event.type === 'adopted') return open(atMs);
  return step({ status: 'dialing', startedAtMs: atMs }, 'start-run');
}

function isEndingCommands(state: MasterState): state is Draining {
  return state.status === 'draining' && state.rung === 'ending-commands';
}

function hear(state: MasterState, atMs: number): MasterStep {
  if (state.status !== 'live') return step(state);
  return step({ ...state, heardAtMs: atMs, isAnswerDue: false, missed: 0 });
}

function isStarting(state: MasterState): state is Extract<MasterState, { startedAtMs: number }> {
  return 'startedAtMs' in state;
}

function advance(state: MasterState, to: StartStage): MasterStep {
  if (!isStarting(state)) return step(state);
  const isForward = startStages.indexOf(to) > startStages.indexOf(state.status);
  return step(isForward ? { ...state, status: to } : state);
}

/* The ping channel is opened with it, and is one of its sessions. */
function open(atMs: number): MasterStep {
  const times = { heardAtMs: atMs, pingedAtMs: atMs, isAnswerDue: true, missed: 0 };
  return step({ status: 'live', ...times }, 'ping');
}

function drain(state: MasterState, why: DrainWhy, atMs: number): MasterStep {
  if (state.status === 'idle')
    return ended(why === 'silence' || why === 'start-limit' ? 'closed' : why);
  if (isStarting(state)) {
    // There is no socket to say it through.
    const rung = { rung: 'signalled', sinceMs: atMs, wasLive: false } as const;
    return step({ status: 'draining', why, ...rung }, 'send-sigterm');
  }
  if (state.status !== 'live') return step(state);
  const next = { status: 'draining', why, sinceMs: atMs, wasLive: true } as const;
  return why === 'silence'
    ? step({ ...next, rung: 'terminating' }, 'fail-commands', 'terminate')
    : step({ ...next, rung: 'ending-commands' }, 'end-commands');
}

const rungs: Readonly<Record<DrainRung, readonly [DrainRung, MasterEffect] | undefined>> = {
  'ending-commands': ['terminating', 'terminate'],
  terminating: ['signalled', 'send-sigterm'],
  signalled: ['killed', 'send-sigkill'],
  killed: undefined,
};

function climb(state: Draining, atMs: number): MasterStep {
  const above = rungs[state.rung];
  if (above === undefined) return step(state);
  const [rung, effect] = above;
  return step({ ...state, rung, sinceMs: atMs }, effect);
}

function force(state: MasterState, atMs: number): MasterStep {
  if (state.status === 'idle') return ended('closed');
  if (state.status === 'ended') return step(state);
  if (state.status === 'draining' && state.rung === 'killed') return step(state);
  const why = state.status === 'draining' ? state.why : 'closed';
  const wasLive = state.status === 'live' || (state.status === 'draining' && state.wasLive);
  const next = { status: 'draining', why, rung: 'killed', sinceMs: atMs, wasLive } as const;
  return step(next, 'send-sigkill');
}

function endRun(state: MasterState, cause: MasterCause): MasterStep {
  // Before it was started there is no run, and after its end no second one.
  if (state.status === 'idle' || state.status === 'ended') return step(state);
  if (state.status === 'live') return ended(cause, 'fail-commands', 'remove-directory');
  if (state.status !== 'draining') return ended(cause, 'remove-directory');
  const first = causeOfDraining(state.why) ?? cause;
  return state.wasLive
    ? ended(first, 'fail-commands', 'remove-directory')
    : ended(first, 'remove-directory');
}

/* At the limit for a start the evidence says more. */
function causeOfDraining(why: DrainWhy): MasterCause | undefined {
  if (why === 'start-limit') return undefined;
  return why === 'silence' ? 'keepalive' : why;
}

function afterDue(state: MasterState, atMs: number): MasterStep {
  const dueAtMs = masterDueAtMs(state);
  // A timer that was set for an earlier state.
  if (dueAtMs === undefined || atMs < dueAtMs) return step(state);
  if (state.status === 'live') return afterPingDue(state, atMs);
  if (state.status === 'draining') return climb(state, atMs);
  return isStarting(state) ? drain(state, 'start-limit', atMs) : step(state);
}

function afterPingDue(state: Live, atMs: number): MasterStep {
  const lateMs = atMs - (masterDueAtMs(state) ?? atMs);
  if (lateMs >= pingEveryMs) {
    // An answer may have been waiting all the time: it is read before it is missed.
    return step({ ...state, heardAtMs: state.heardAtMs + lateMs, pingedAtMs: atMs }, 'ping');
  }
  if (atMs - state.heardAtMs >= silenceMsMax) return drain(state, 'silence', atMs);
  const missed = state.isAnswerDue ? state.missed + 1 : 0;
  return step({ ...state, pingedAtMs: atMs, isAnswerDue: true, missed }, 'ping');
}

function ended(cause: MasterCause, ...effects: readonly MasterEffect[]): MasterStep {
  return step({ status: 'ended', cause }, ...effects);
}

function step(state: MasterState, ...effects: readonly MasterEffect[]): MasterStep {
  return { state, effects };
}
