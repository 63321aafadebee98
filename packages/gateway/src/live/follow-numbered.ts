/*
 * Follows rows that are numbered in their order: every one after a number, each once; then what comes, for as long as the reader is there.
 *
 * What was stored here is told, and handed on as it is when it follows on. Whatever does not (the beginning, what another gateway of the
 * same database has added, what came while the reader was behind) is read from the database by its number. So a reader that comes back
 * goes on exactly where it was, at any gateway.
 */
import { type Clock, createSignalBell, type SignalBell } from '@clawdfather/kit';

export interface Numbered {
  readonly seq: number;
}

export interface NumberedRows<Row extends Numbered> {
  /* After this number, in order. */
  read(after: number, limit: number): Promise<readonly Row[]>;
  /* Calls back with what was stored now; with nothing, where it has to be read. Until the returned function is called. */
  follow(listener: (rows: readonly Row[]) => void): () => void;
}

/* Takes one row. A promise: the reader is full, and no more comes until it resolves. */
export type RowSink<Row extends Numbered> = (row: Row) => Promise<void> | undefined;

/* Another gateway of the same database may have added something, of which nobody tells us here. */
const lookMs = 1_000;
const pageRows = 200;

/* Rejects with the signal's reason, or with what the sink or the database threw. It does not end by itself. */
export async function followNumbered<Row extends Numbered>(
  { rows, clock }: { readonly rows: NumberedRows<Row>; readonly clock: Clock },
  { after, sink }: { readonly after: number; readonly sink: RowSink<Row> },
  signal: AbortSignal,
): Promise<never> {
  const bell = createSignalBell();
  let told: Row[] = [];
  /* In the database: at the beginning, after a page of it, and where another process has added something. */
  let mayHaveMore = true;
  const stop = rows.follow((added) => {
    // What a slow reader does not take in time is read later; it is not kept for it here.
    const isRoom = told.length + added.length <= pageRows;
    if (added.length === 0 || !isRoom) mayHaveMore = true;
    if (isRoom) told.push(...added);
    bell.ring();
  });
  try {
    let at = after;
    for (;;) {
      signal.throwIfAborted();
      const fresh = told.filter(({ seq }) => seq > at);
      told = [];
      // Between two that were told may be one of another gateway: what does not follow on is read.
      const next = followingOn(fresh, at);
      if (next.length < fresh.length) mayHaveMore = true;
      const isRead: boolean = next.length === 0 && mayHaveMore;
      // Before it is read: what is told meanwhile counts.
      if (isRead) mayHaveMore = false;
      const page: readonly Row[] = isRead ? await rows.read(at, pageRows) : next;
      if (isRead && page.length > 0) mayHaveMore = true;
      for (const row of page) {
        signal.throwIfAborted();
        const room = sink(row);
        at = row.seq;
        if (room !== undefined) await room;
      }
      if (page.length > 0 || mayHaveMore) continue;
      if (await untilNews(bell, { clock, signal })) mayHaveMore = true;
    }
  } finally {
    stop();
  }
}

function followingOn<Row extends Numbered>(rows: readonly Row[], after: number): readonly Row[] {
  const next: Row[] = [];
  for (const row of rows) {
    if (row.seq === after + next.length + 1) next.push(row);
  }
  return next;
}

/* Resolves when there is a row after this number, or the time is up. */
export async function waitForNumber(
  { rows, clock }: { readonly rows: NumberedRows<Numbered>; readonly clock: Clock },
  { after, waitMs }: { readonly after: number; readonly waitMs: number },
  signal: AbortSignal,
): Promise<void> {
  const bell = createSignalBell();
  const stop = rows.follow(() => bell.ring());
  const untilMs = clock.monotonicMs() + waitMs;
  try {
    while (clock.monotonicMs() < untilMs) {
      if ((await rows.read(after, 1)).length > 0) return;
      await untilNews(bell, { clock, signal });
    }
  } finally {
    stop();
  }
}

/* Until the bell rings, or it is time to look: then it is true. */
async function untilNews(
  bell: SignalBell,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  let isTime = false;
  const timer = clock.timer(lookMs, () => {
    isTime = true;
    bell.ring();
  });
  try {
    await bell.wait(signal);
    return isTime;
  } finally {
    timer.cancel();
  }
}
