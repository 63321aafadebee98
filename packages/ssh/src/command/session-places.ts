/*
 * Which command may open a session on a master now: one pure function over a queue.
 *
 * A host allows a number of sessions on one connection (sshd's MaxSessions, 10 by default) and refuses more. One of them is our ping
 * channel, and one has to be free for the sweep that ends a command. So commands have the places that are left, and the others
 * wait in the order in which they came. They never get a connection of their own.
 *
 * - The limit is the configured one until the host refuses a session. From then on it is what the host allows, less two. What it
 *   allows is what was asked of it beside the refused ones, and never less than what was seen open at one time.
 * - A command that was refused keeps its place: its client asks again by itself, also when no gateway is there. Until it is over, nothing
 *   new is admitted above the lower limit.
 * - What runs above a limit that was lowered runs on.
 */
import { assertNever } from '@clawdfather/kit';

interface Waiting {
  readonly id: string;
  /* In the order of asking. */
  readonly turn: number;
}

interface Running extends Waiting {
  /* False: asked of the host, not answered yet. */
  readonly isOpen: boolean;
  /* The host had no session for it; its client asks again. */
  readonly isRefused: boolean;
}

export interface PlacesState {
  readonly configured: number;
  /* What the host allows, as far as it is known; undefined before a refusal. */
  readonly sessionsMax: number | undefined;
  /* The most that were open at one time, ping included: proven. */
  readonly openPeak: number;
  readonly running: readonly Running[];
  readonly waiting: readonly Waiting[];
  readonly isPingOpen: boolean;
  readonly nextTurn: number;
}

export type PlacesEvent =
  | { readonly type: 'asked'; readonly id: string }
  /* The host's answer to an opening. */
  | { readonly type: 'opened'; readonly id: string }
  | { readonly type: 'refused'; readonly id: string }
  /* It is over, or is not wanted any more. */
  | { readonly type: 'left'; readonly id: string }
  | { readonly type: 'ping-opened' }
  | { readonly type: 'ping-closed' };

export type PlacesEffect =
  | { readonly do: 'open'; readonly id: string }
  /* Too many wait. */
  | { readonly do: 'fail'; readonly id: string };

export interface PlacesStep {
  readonly state: PlacesState;
  readonly effects: readonly PlacesEffect[];
}

/* MaxSessions is 10 as a rule, and two places are kept. */
export const placesDefault = 8;
const placesKept = 2;
/* Minutes of work even for commands of a second each; more than this is a loop that asks. */
export const waitingMax = 1_000;

export function createPlaces(limit: number = placesDefault): PlacesState {
  return {
    configured: Math.max(1, Math.floor(limit)),
    sessionsMax: undefined,
    openPeak: 0,
    running: [],
    waiting: [],
    isPingOpen: false,
    nextTurn: 0,
  };
}

/* How many commands may have a session. One at least: with two sessions the sweep has no place, and is made up for later. */
export function placesLimit({ configured, sessionsMax, openPeak }: PlacesState): number {
  if (sessionsMax === undefined) return configured;
  return Math.min(configured, Math.max(1, Math.max(sessionsMax, openPeak) - placesKept));
}

export function nextPlaces(state: PlacesState, event: PlacesEvent): PlacesStep {
  switch (event.type) {
    case 'asked':
      return ask(state, event.id);
    case 'opened':
      return admit(withPeak({ ...state, running: markOpen(state.running, event.id) }));
    case 'refused':
      return refuse(state, event.id);
    case 'left':
      return leave(state, event.id);
    case 'ping-opened':
      return admit(withPeak({ ...state, isPingOpen: true }));
    case 'ping-closed':
      return step({ ...state, isPingOpen: false });
    default:
      return assertNever(event);
  }
}

function ask(state: PlacesState, id: string): PlacesStep {
  if ([...state.running, ...state.waiting].some((each) => each.id === id)) return step(state);
  if (state.waiting.length >= waitingMax) return step(state, { do: 'fail', id });
  const waiting = [...state.waiting, { id, turn: state.nextTurn }];
  return admit({ ...state, waiting, nextTurn: state.nextTurn + 1 });
}

function refuse(state: PlacesState, id: string): PlacesStep {
  const refused = state.running.find((each) => each.id === id);
  // An answer that comes twice, or after it had left.
  if (refused === undefined || refused.isOpen || refused.isRefused) return step(state);
  const running = state.running.map((each) =>
    each === refused ? { ...each, isRefused: true } : each,
  );
  const others = running.filter(({ isRefused }) => !isRefused).length;
  const sessionsMax = others + (state.isPingOpen ? 1 : 0);
  return step({
    ...state,
    running,
    sessionsMax: Math.min(state.sessionsMax ?? sessionsMax, sessionsMax),
  });
}

function leave(state: PlacesState, id: string): PlacesStep {
  const running = state.running.filter((each) => each.id !== id);
  const waiting = state.waiting.filter((each) => each.id !== id);
  return admit({ ...state, running, waiting });
}

function admit(state: PlacesState): PlacesStep {
  const free = Math.max(0, placesLimit(state) - state.running.length);
  const admitted = state.waiting.slice(0, free);
  if (admitted.length === 0) return step(state);
  const running = [
    ...state.running,
    ...admitted.map((each) => ({ ...each, isOpen: false, isRefused: false })),
  ];
  const effects = admitted.map(({ id }): PlacesEffect => ({ do: 'open', id }));
  return step({ ...state, running, waiting: state.waiting.slice(free) }, ...effects);
}

function markOpen(running: readonly Running[], id: string): readonly Running[] {
  return running.map((each) =>
    each.id === id ? { ...each, isOpen: true, isRefused: false } : each,
  );
}

function withPeak(state: PlacesState): PlacesState {
  const open = state.running.filter(({ isOpen }) => isOpen).length + (state.isPingOpen ? 1 : 0);
  return { ...state, openPeak: Math.max(state.openPeak, open) };
}

function step(state: PlacesState, ...effects: readonly PlacesEffect[]): PlacesStep {
  return { state, effects };
}
