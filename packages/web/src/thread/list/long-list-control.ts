/*
 * A list of any length in one scroller: only the rows near the screen are there, and nothing that the reader looks at moves.
 *
 *   origin    where the first row begins, in pixels of the scrolled content. A guess that was wrong, or rows that come in front, change
 *             the origin and not the rows on the screen, so nothing has to be scrolled for them.
 *   stretch   the rows that are there, placed by one margin
 *   below     as high as all rows after them
 *
 * LL1  While a finger or its momentum moves the scroller, its position is never written. The origin takes up every difference
 *      meanwhile; it is put right when the scroller has come to rest.
 * LL2  It follows its end only while the reader is there. A finger on it ends that at once.
 * LL3  The reader is told of having left the end when it is out of sight, and not for a tap on what stands there.
 *
 * A library was tried for this (docs/dependencies.md): it writes the position while a finger is on the screen.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import { createListModel, type Growth, type ListedRow } from './list-model.ts';

export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface LongListParts {
  readonly scroller: HTMLElement;
  readonly stretch: HTMLElement;
  readonly below: HTMLElement;
  readonly tail: HTMLElement;
}

export interface LongListDeps {
  readonly clock: Pick<Clock, 'timer'>;
  /* Other rows are to be there. */
  readonly onRange: () => void;
  readonly onNearTop: () => void;
  readonly onFollow: (follows: boolean) => void;
}

/* Nearer to the end than this is at the end. */
const atEndPx = 24;
/* Without a scroll event for so long, momentum is over. */
const restMs = 150;
/* A finger that is there for longer is no tap. */
const tapMs = 500;
const rowsMax = 120;
/* Between the top of the screen and a card that asks. */
const askingPx = 8;
/* In heights of the screen: what is there beyond it, what has to be, and the room for older rows that are not here yet. */
const besideScreens = 0.75;
const leastBesideScreens = 0.35;
const reserveScreens = 4;
const nearTopScreens = 2;

export class LongListControl<Row extends ListedRow> {
  readonly #deps: LongListDeps;
  readonly #model = createListModel<Row>();
  readonly #sizes: ResizeObserver;
  readonly #ending = new AbortController();
  #parts: LongListParts | undefined;
  #range: Range = { from: 0, to: 0 };
  #hasOlder = false;
  #origin = 0;
  #topPx = 0;
  #screenPx = 800;
  #writtenPx = -1;
  #follows = true;
  #isToldAtEnd = true;
  #isTouched = false;
  /* For longer than a tap. */
  #isHeld = false;
  #isMoving = false;
  /* Where it stood when a finger came, and whether it followed. */
  #before:
    | { readonly topPx: number; readonly followed: boolean; readonly atMs: number }
    | undefined;
  #goal: { readonly key: string; looks: number } | undefined;
  #rest: Timer | undefined;
  /* Rows that were drawn and not measured yet. */
  readonly #fresh: HTMLElement[] = [];
  /* Cards that ask and are higher than the screen: it was at the beginning of them. */
  readonly #begun = new WeakSet<Element>();

  constructor(deps: LongListDeps) {
    this.#deps = deps;
    this.#sizes = new ResizeObserver((entries) => this.#measured(entries));
  }

  open(parts: LongListParts): void {
    this.#parts = parts;
    const { scroller, tail } = parts;
    this.#screenPx = scroller.clientHeight;
    this.#sizes.observe(scroller);
    this.#sizes.observe(tail);
    const listen = (name: string, act: (event: Event) => void): void =>
      scroller.addEventListener(name, act, { passive: true, signal: this.#ending.signal });
    listen('scroll', () => this.#scrolled());
    listen('touchstart', ({ timeStamp }) => this.#touched(timeStamp));
    listen('touchend', (event) => this.#released(event as TouchEvent));
    listen('touchcancel', (event) => this.#released(event as TouchEvent));
    listen('wheel', (event) => {
      if ((event as WheelEvent).deltaY < 0) this.#setFollows(false);
    });
    this.place();
  }

  close(): void {
    this.#ending.abort();
    this.#sizes.disconnect();
    this.#rest?.cancel();
    this.#parts = undefined;
  }

  /* What is to be there of these rows. */
  take(rows: readonly Row[], hasOlder: boolean): Range {
    this.#hasOlder = hasOlder;
    if (rows !== this.#model.rows) this.#keepPlace(rows);
    this.#range = this.#rangeFor(this.#range);
    return this.#range;
  }

  watch(element: HTMLElement): void {
    this.#fresh.push(element);
    this.#sizes.observe(element);
  }

  unwatch(element: HTMLElement): void {
    this.#sizes.unobserve(element);
  }

  /* After the rows were drawn. */
  place(): void {
    const { stretch, below } = this.#parts ?? {};
    if (stretch === undefined || below === undefined) return;
    this.#measureFresh();
    if (!this.#isActive) this.#putRight();
    const { from, to } = this.#range;
    const model = this.#model;
    stretch.style.marginTop = `${this.#origin + model.topOf(from)}px`;
    below.style.height = `${model.topOf(model.rows.length) - model.topOf(to)}px`;
    if (!this.#isActive) {
      if (this.#goal !== undefined) this.#goToGoal(this.#goal);
      else if (this.#follows) this.#writeEnd();
    }
    this.#tell();
  }

  goToEnd(): void {
    this.#goal = undefined;
    this.#setFollows(true);
    this.#writeEnd();
  }

  goTo(key: string): void {
    this.#setFollows(false);
    this.#goal = { key, looks: 0 };
    this.place();
  }

  /* What is newest is in sight. */
  get showsEnd(): boolean {
    return this.#follows || this.#isAtEnd();
  }

  get #isActive(): boolean {
    return this.#isTouched || this.#isMoving;
  }

  /* Of the row that the reader looks at, whatever comes before it. */
  #keepPlace(rows: readonly Row[]): void {
    const model = this.#model;
    const before = model.rows;
    if (before.length === 0) this.#origin = this.#reservePx;
    const first = model.indexAt(this.#topPx - this.#origin);
    const isKept = before[first]?.key === rows[first]?.key;
    const tops = isKept
      ? [model.topOf(first)]
      : before.slice(first).map((_row, n) => model.topOf(first + n));
    model.setRows(rows);
    for (const [n, top] of tops.entries()) {
      const index = isKept ? first : model.indexOf(before[first + n]?.key ?? '');
      if (index === undefined) continue;
      this.#origin += top - model.topOf(index);
      return;
    }
  }

  #rangeFor(now: Range): Range {
    const needed = this.#rowsWithin(leastBesideScreens);
    const isEnough =
      now.from <= needed.from && now.to >= needed.to && now.to <= this.#model.rows.length;
    return isEnough && now.to - now.from <= rowsMax ? now : this.#rowsWithin(besideScreens);
  }

  #rowsWithin(screens: number): Range {
    const model = this.#model;
    const top = this.#topPx - this.#origin;
    const count = model.rows.length;
    // At the end, what is there is counted from the end: guesses may say that it is elsewhere.
    const end = this.#follows ? model.topOf(count) : top + this.#screenPx;
    const begin = this.#follows ? end - this.#screenPx : top;
    const beside = screens * this.#screenPx;
    const to = Math.min(count, model.indexAt(end + beside) + 1);
    const from = Math.max(model.indexAt(begin - beside), to - rowsMax, 0);
    return { from: Math.min(from, to), to };
  }

  #measured(entries: readonly ResizeObserverEntry[]): void {
    const first = this.#model.indexAt(this.#topPx - this.#origin);
    for (const { target, borderBoxSize } of entries) {
      const key = (target as HTMLElement).dataset['key'];
      if (key === undefined) {
        if (target === this.#parts?.scroller) this.#screenPx = target.clientHeight;
        continue;
      }
      this.#measure(key, { px: borderBoxSize[0]?.blockSize ?? 0, first });
    }
    this.place();
    this.#askForRange();
  }

  /* Before they are painted: an observer that has already reported in this frame tells of rows that came since only after it. */
  #measureFresh(): void {
    const fresh = this.#fresh.splice(0).filter(({ isConnected }) => isConnected);
    if (fresh.length === 0) return;
    const first = this.#model.indexAt(this.#topPx - this.#origin);
    for (const element of fresh) {
      const { height: px } = element.getBoundingClientRect();
      this.#measure(element.dataset['key'] ?? '', { px, first });
    }
  }

  /* `first`: the row at the top of the screen. */
  #measure(key: string, { px, first }: { readonly px: number; readonly first: number }): void {
    const growth = this.#model.measure(key, px);
    if (growth !== undefined && isAbove(growth, first)) this.#origin -= growth.px;
  }

  #scrolled(): void {
    const { scroller } = this.#parts ?? {};
    if (scroller === undefined) return;
    const beforePx = this.#topPx;
    this.#topPx = scroller.scrollTop;
    if (Math.abs(this.#topPx - this.#writtenPx) >= 1) {
      this.#writtenPx = -1;
      this.#goal = undefined;
      this.#isMoving = true;
      if (!this.#isTouched) this.#moved(this.#topPx - beforePx);
      this.#restLater(restMs);
    }
    this.#tell();
    this.#askForRange();
  }

  /* Only going up leaves the end: a screen that grows moves it down, and what is added moves the end away. */
  #moved(byPx: number): void {
    if (this.#isAtEnd()) this.#setFollows(true);
    else if (byPx < 0) this.#setFollows(false);
  }

  #askForRange(): void {
    if (this.#rangeFor(this.#range) !== this.#range) this.#deps.onRange();
    const isNear = this.#topPx - this.#origin < nearTopScreens * this.#screenPx;
    if (this.#hasOlder && isNear && this.#model.rows.length > 0) this.#deps.onNearTop();
  }

  #touched(atMs: number): void {
    if (!this.#isTouched) this.#before = { topPx: this.#topPx, followed: this.#follows, atMs };
    this.#isTouched = true;
    this.#isHeld = false;
    this.#goal = undefined;
    this.#setFollows(false);
    this.#restLater(tapMs);
  }

  #released({ touches, timeStamp }: TouchEvent): void {
    this.#isTouched = touches.length > 0;
    // A finger that was held there wants it to stay; a tap means something else.
    if (timeStamp - (this.#before?.atMs ?? 0) > tapMs) this.#before = undefined;
    this.#restLater(restMs);
  }

  #restLater(ms: number): void {
    this.#rest?.cancel();
    this.#rest = this.#deps.clock.timer(ms, () => {
      if (this.#isTouched) {
        this.#isHeld = true;
        this.#tell();
        return;
      }
      this.#isMoving = false;
      // A tap is no scrolling, however much was added during it.
      const { topPx, followed = false } = this.#before ?? {};
      this.#before = undefined;
      if ((followed && topPx === this.#topPx) || this.#isAtEnd()) this.#setFollows(true);
      this.place();
      this.#askForRange();
    });
  }

  #isAtEnd(): boolean {
    const { scroller } = this.#parts ?? {};
    if (scroller === undefined) return true;
    return scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < atEndPx;
  }

  #setFollows(follows: boolean): void {
    this.#follows = follows;
    this.#tell();
  }

  #tell(): void {
    const { topPx, followed } = this.#before ?? {};
    const isTap = followed === true && !this.#isHeld && topPx === this.#topPx;
    const isAtEnd = isTap || this.showsEnd;
    if (isAtEnd === this.#isToldAtEnd) return;
    this.#isToldAtEnd = isAtEnd;
    this.#deps.onFollow(isAtEnd);
  }

  get #reservePx(): number {
    return this.#hasOlder ? Math.round(reserveScreens * this.#screenPx) : 0;
  }

  /* The origin where it belongs, with everything on the screen where it is. */
  #putRight(): void {
    const reserve = this.#reservePx;
    const leastOff = this.#hasOlder ? reserve / 2 : 1;
    if (Math.abs(reserve - this.#origin) < leastOff || this.#parts === undefined) return;
    const shift = Math.round(reserve - this.#origin);
    const { scroller, stretch } = this.#parts;
    this.#origin += shift;
    stretch.style.marginTop = `${this.#origin + this.#model.topOf(this.#range.from)}px`;
    if (!this.#follows) this.#write(scroller.scrollTop + shift);
  }

  #goToGoal(goal: { readonly key: string; looks: number }): void {
    const index = this.#model.indexOf(goal.key);
    goal.looks += 1;
    // Rows on the way there are measured first; after a few looks it stands.
    if (index === undefined || goal.looks > goalLooksMax) this.#goal = undefined;
    if (index !== undefined) this.#write(this.#origin + this.#model.topOf(index));
    this.#askForRange();
  }

  #writeEnd(): void {
    const { scroller, tail } = this.#parts ?? {};
    if (scroller === undefined || tail === undefined) return;
    const end = scroller.scrollHeight - scroller.clientHeight;
    // What asks is read from its beginning. From there on the reader goes on.
    const card = tail.querySelector('.decision');
    if (card !== null && !this.#begun.has(card)) {
      const above = card.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      const head = scroller.scrollTop + above - askingPx;
      if (head < end) {
        this.#begun.add(card);
        this.#write(head);
        this.#setFollows(false);
        return;
      }
    }
    this.#write(end);
  }

  #write(px: number): void {
    const { scroller } = this.#parts ?? {};
    if (scroller === undefined || this.#isActive) return;
    if (Math.abs(scroller.scrollTop - px) >= 0.5) scroller.scrollTop = px;
    this.#topPx = scroller.scrollTop;
    this.#writtenPx = this.#topPx;
  }
}

const goalLooksMax = 6;

/* What was only guessed is put right at its top, so that what is read below it stays. */
function isAbove({ index, wasGuess }: Growth, first: number): boolean {
  return index < first || (index === first && wasGuess);
}
