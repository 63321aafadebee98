/*
 * Drives one master through its states: takes events, keeps the one state, sets the timer that it waits for, and does what
 * nextMaster asks for. What each effect is, is given: a start and a take-over differ in that alone.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import {
  masterDueAtMs,
  type MasterEffect,
  type MasterEvent,
  type MasterState,
} from './master-state.ts';
import { nextMaster } from './next-master.ts';

export interface DriverDeps {
  readonly clock: Clock;
  readonly perform: (effect: MasterEffect) => void;
  readonly changed: (state: MasterState, before: MasterState) => void;
}

export class MasterDriver {
  readonly #deps: DriverDeps;
  #state: MasterState = { status: 'idle' };
  #timer: Timer | undefined;
  #isReleased = false;

  constructor(deps: DriverDeps) {
    this.#deps = deps;
  }

  get state(): MasterState {
    return this.#state;
  }

  send(event: MasterEvent): void {
    if (this.#isReleased) return;
    const before = this.#state;
    const { state, effects } = nextMaster(before, event, this.#deps.clock.monotonicMs());
    this.#state = state;
    this.#wait();
    if (state !== before) this.#deps.changed(state, before);
    for (const effect of effects) this.#deps.perform(effect);
  }

  /* Nothing happens from here on; the master goes on. */
  release(): void {
    this.#isReleased = true;
    this.#timer?.cancel();
  }

  #wait(): void {
    this.#timer?.cancel();
    const dueAtMs = masterDueAtMs(this.#state);
    if (dueAtMs === undefined) return;
    const { clock } = this.#deps;
    const timer = clock.timer(Math.max(0, dueAtMs - clock.monotonicMs()), () =>
      this.send({ type: 'due' }),
    );
    timer.unref();
    this.#timer = timer;
  }
}
