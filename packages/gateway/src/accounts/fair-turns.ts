/*
 * Requests of many accounts on one event loop: whoever asks seldom is answered at once, whoever asks without a break waits behind
 * itself.
 *
 * Callers stand in lines, one for the people of an account and one for its tokens; a member's live output has one, too.
 *
 *   F1 In each turn of the event loop requests go on as they come for a millisecond, and each line with its first one. The rest
 *      wait, and are let in one after the other, the lines in turns.
 *   F2 A line that was let in rests for three times as long as its request took, if others have asked within the last second. So
 *      it has a quarter of the event loop while they are there, and all of it otherwise.
 *   F3 A line has only so many requests under way, since much of the work of a request may come after it has waited for something
 *      else. One with a large body counts for all of them. Where those are stuck, the next one goes on after a tenth of a second.
 *
 * Nothing is refused here: a client that waits sends no further request over its connection, so what waits is bounded by the
 * connections there are.
 */
import { type Clock, makeRoom, type Timer } from '@clawdfather/kit';
import type { Caller } from '../http/caller.ts';

export interface FairTurns {
  /* `bodyBytes`: what is still to come of it. */
  enter(caller: Pick<Caller, 'accountId' | 'kind'>, bodyBytes?: number): Turn;
  /* For long work, in pieces of some milliseconds: resolves when the next one may be done. */
  goOn(line: LineName): Promise<void>;
}

/* Live output has lines of its own: it is nobody's request. */
export interface LineName {
  readonly accountId: string;
  readonly kind: Caller['kind'] | 'output';
}

export interface Turn {
  /* Undefined: now. */
  readonly come: Promise<void> | undefined;
  /* Its work is done, or it is not wanted any more. More than once is harmless. */
  readonly leave: () => void;
}

/* What a turn takes before lines have to wait: some twenty small requests, and less than a person or a p99 notices. */
const turnMsMax = 1;
/* Of one line. A page or a program asks for a handful of things at once; more would only wait for each other. */
const underWayMax = 6;
/* A request that takes longer than this waits for something, and does not keep the event loop busy. */
const stuckMs = 100;
/* Looks of one turn of the event loop at those who wait; each ends at once when the time is up. */
const looksMax = 16;
const restsPerWork = 3;
/* Less is not worth a timer. */
const restMsMin = 1;
const othersMsMax = 1_000;
/* Lines that are remembered; one that is forgotten begins anew. */
const linesMax = 10_000;
/* What a body takes to be parsed, checked and given to a command; one that takes no longer than that is small. */
const bodyBytesPerMs = 50_000;

class Line {
  underWay = 0;
  /* In the order in which they came, each with what it counts for. */
  readonly waiting = new Map<() => void, number>();
  /* Under way already, with more to do. They go first. */
  readonly goingOn = new Set<() => void>();
  /* Runs while it rests, or while all that is under way is stuck. */
  pause: Timer | undefined;
  isResting = false;

  get isFull(): boolean {
    return this.underWay >= underWayMax;
  }
}

export function createFairTurns(clock: Pick<Clock, 'monotonicMs' | 'timer'>): FairTurns {
  return new Turns(clock);
}

class Turns implements FairTurns {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'timer'>;
  readonly #lines = new Map<string, Line>();
  /* Lines with somebody who can go on, the one whose turn it is first. */
  readonly #ready = new Set<Line>();
  /* Lines that have gone on in this turn of the event loop, which began with the first of them. */
  readonly #served = new Set<Line>();
  #sinceMs = 0;
  #looks = 0;
  /* Let in by the look before this one. */
  #working: { readonly line: Line; readonly sinceMs: number } | undefined;
  #last: Line | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /* When another line than the last one was served. */
  #othersMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonicMs' | 'timer'>) {
    this.#clock = clock;
  }

  enter({ accountId, kind }: Pick<Caller, 'accountId' | 'kind'>, bodyBytes = 0): Turn {
    const line = this.#lineOf(`${kind} ${accountId}`);
    let isOver = false;
    const leaveOnce = (leave: () => void): void => {
      if (isOver) return;
      isOver = true;
      leave();
      this.#queue(line);
    };
    const weight = bodyBytes > bodyBytesPerMs ? underWayMax : 1;
    const end = (): void => void (line.underWay -= weight);
    if (line.waiting.size === 0 && !line.isFull && !line.isResting && this.#mayGoOn(line)) {
      this.#serve(line, weight);
      if (weight > 1) this.#rest(line, bodyBytes / bodyBytesPerMs);
      return { come: undefined, leave: () => leaveOnce(end) };
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const go = (): void => {
      if (weight > 1) this.#rest(line, bodyBytes / bodyBytesPerMs);
      resolve();
    };
    line.waiting.set(go, weight);
    if (line.pause === undefined) this.#queue(line);
    const leave = (): void =>
      leaveOnce(() => {
        if (!line.waiting.delete(go)) end();
      });
    return { come: promise, leave };
  }

  async goOn({ accountId, kind }: LineName): Promise<void> {
    const line = this.#lineOf(`${kind} ${accountId}`);
    await new Promise<void>((resolve) => {
      line.goingOn.add(resolve);
      if (!line.isResting) this.#queue(line);
    });
  }

  #lineOf(name: string): Line {
    const known = this.#lines.get(name);
    if (known !== undefined) return known;
    makeRoom(this.#lines, linesMax);
    const line = new Line();
    this.#lines.set(name, line);
    return line;
  }

  #mayGoOn(line: Line): boolean {
    return !this.#served.has(line) || this.#clock.monotonicMs() - this.#sinceMs < turnMsMax;
  }

  #serve(line: Line, weight: number): void {
    if (this.#served.size === 0) this.#sinceMs = this.#clock.monotonicMs();
    if (line !== this.#last) this.#othersMs = this.#lastMs;
    this.#last = line;
    this.#lastMs = this.#clock.monotonicMs();
    this.#served.add(line);
    line.underWay += weight;
    this.#arm();
  }

  #arm(): void {
    if (this.#looks > 0) return;
    this.#looks = this.#ready.size === 0 ? 1 : looksMax;
    for (let index = 0; index < this.#looks; index += 1) setImmediate(() => this.#look());
  }

  /* One at a time: what a request does at once is done before the next look. The last of a turn only ends it. */
  #look(): void {
    this.#looks -= 1;
    this.#settle();
    if (this.#looks > 0) {
      const [line] = this.#ready;
      if (line !== undefined && this.#mayGoOn(line)) this.#letIn(line);
      return;
    }
    this.#served.clear();
    if (this.#ready.size > 0) this.#arm();
  }

  #settle(): void {
    const working = this.#working;
    if (working === undefined) return;
    this.#working = undefined;
    this.#rest(working.line, this.#clock.monotonicMs() - working.sinceMs);
  }

  #letIn(line: Line): void {
    const [goingOn] = line.goingOn;
    const [first] = line.waiting;
    // To the end of the row, if there are more.
    this.#ready.delete(line);
    const [go, weight] = goingOn === undefined ? (first ?? []) : [goingOn, 0];
    if (go === undefined || weight === undefined) return;
    line.goingOn.delete(go);
    line.waiting.delete(go);
    this.#serve(line, weight);
    this.#queue(line);
    this.#working = { line, sinceMs: this.#clock.monotonicMs() };
    go();
  }

  #rest(line: Line, workMs: number): void {
    const restMs = workMs * restsPerWork;
    const isAlone = this.#clock.monotonicMs() - this.#othersMs > othersMsMax;
    if (isAlone || restMs < restMsMin) return;
    line.isResting = true;
    this.#ready.delete(line);
    line.pause?.cancel();
    line.pause = this.#clock.timer(restMs, () => {
      line.isResting = false;
      this.#queue(line);
    });
    line.pause.unref();
  }

  /* Somebody may wait in it. */
  #queue(line: Line): void {
    if (line.isResting) return;
    line.pause?.cancel();
    line.pause = undefined;
    const isGoingOn = line.goingOn.size > 0;
    if (line.waiting.size === 0 && !isGoingOn) this.#ready.delete(line);
    else if (line.isFull && !isGoingOn) {
      line.pause = this.#clock.timer(stuckMs, () => this.#letIn(line));
      line.pause.unref();
    } else {
      this.#ready.add(line);
      this.#arm();
    }
  }
}
