/*
 * The states, events and effects in the life of a master, and the times that each state waits for. next-master.ts has the
 * transitions. Times are monotonic and passed in; a state holds the moments that its own limits count from.
 */
import type { MasterCause } from './cause-table.ts';
import type { DrainWhy } from './cause.ts';

/* The stages of a start, in order. Each names what is waited for. */
export const startStages = ['dialing', 'keying', 'signing', 'opening'] as const;

export type StartStage = (typeof startStages)[number];

export interface Starting {
  readonly status: StartStage;
  readonly startedAtMs: number;
}

export interface Live {
  readonly status: 'live';
  /* The last sign of life from the host; the opening is the first. */
  readonly heardAtMs: number;
  /* When the last ping was sent, answered or not; before the first, the opening. */
  readonly pingedAtMs: number;
  readonly isAnswerDue: boolean;
  /* Pings since then without an answer, each for a whole interval. */
  readonly missed: number;
}

/*
 * Being ended, one rung after the other. `ending-commands`: no new ones, those that run are told to end. `terminating`: the master
 * was told through its socket. `signalled`, `killed`: it was sent SIGTERM, SIGKILL.
 */
export type DrainRung = 'ending-commands' | 'terminating' | 'signalled' | 'killed';

export interface Draining {
  readonly status: 'draining';
  readonly why: DrainWhy;
  readonly rung: DrainRung;
  /* When this rung began. */
  readonly sinceMs: number;
  readonly wasLive: boolean;
}

export type MasterState =
  | { readonly status: 'idle' }
  | Starting
  | Live
  | Draining
  | { readonly status: 'ended'; readonly cause: MasterCause };

export type MasterEvent =
  | { readonly type: 'start' }
  /* Its run was started by an earlier gateway, and its socket answers. */
  | { readonly type: 'adopted' }
  /* The resolver, before there is a run: it said no. */
  | { readonly type: 'start-failed'; readonly cause: MasterCause }
  /* A stage is over: the dialer connected, the pinned key was shown, the signer signed, the socket answered. */
  | { readonly type: 'dialed' }
  | { readonly type: 'keyed' }
  | { readonly type: 'signed' }
  | { readonly type: 'opened' }
  /* The ping channel brought an answer. */
  | { readonly type: 'heard' }
  | { readonly type: 'drain'; readonly why: 'closed' | 'pin-changed' | 'key-revoked' }
  /* The commands that ran through it are over, or are given up with their causes. */
  | { readonly type: 'commands-ended' }
  /* A person will not wait for the ladder. */
  | { readonly type: 'force' }
  /* The run is over; the cause is what the evidence says (cause.ts). */
  | { readonly type: 'run-ended'; readonly cause: MasterCause }
  /* The time that the state waits for is here, or may be. */
  | { readonly type: 'due' };

export type MasterEffect =
  | 'start-run'
  | 'ping'
  | 'end-commands'
  /* What runs through it is answered with the cause at once: there is no way to the host. */
  | 'fail-commands'
  /* TERMINATE, over its socket. */
  | 'terminate'
  | 'send-sigterm'
  | 'send-sigkill'
  | 'remove-directory';

/* All ten steps of a start, whichever of them hangs. */
export const startMsMax = 30_000;
/* Often enough to see a cut before a person does; a ping is a few bytes. */
export const pingEveryMs = 10_000;
/* The promise to people. ssh itself, with 30 s × 3, would take 120 s. */
export const silenceMsMax = 90_000;
/* The grace of a command (5 s), its end by force, and a round trip. */
export const commandsMsMax = 10_000;
/* From TERMINATE on: one that does not go in 2 s is sent SIGTERM, which some releases lose, and SIGKILL at 5 s. */
export const terminateMsMax = 2_000;
export const killAfterMs = 5_000;

export type MasterHealth = 'ok' | 'quiet' | 'lost';

/* Undefined for what neither is live nor was lost. */
export function masterHealth(state: MasterState): MasterHealth | undefined {
  if (state.status === 'live') return state.missed === 0 ? 'ok' : 'quiet';
  const isLost =
    (state.status === 'draining' && state.why === 'silence') ||
    (state.status === 'ended' && state.cause === 'keepalive');
  return isLost ? 'lost' : undefined;
}

/* When the state has to be looked at again; undefined for one that waits for an event only. */
export function masterDueAtMs(state: MasterState): number | undefined {
  switch (state.status) {
    case 'idle':
    case 'ended':
      return undefined;
    case 'live':
      return Math.min(state.pingedAtMs + pingEveryMs, state.heardAtMs + silenceMsMax);
    case 'draining':
      return drainDueAtMs(state);
    default:
      return state.startedAtMs + startMsMax;
  }
}

function drainDueAtMs({ rung, sinceMs }: Draining): number | undefined {
  switch (rung) {
    case 'ending-commands':
      return sinceMs + commandsMsMax;
    case 'terminating':
      return sinceMs + terminateMsMax;
    case 'signalled':
      return sinceMs + (killAfterMs - terminateMsMax);
    case 'killed':
      // The kernel ends it, and the supervisor reports that; there is nothing stronger.
      return undefined;
  }
}
