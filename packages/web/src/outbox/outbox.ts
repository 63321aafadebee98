/*
 * What a person writes, kept on this device first and then sent, in order, each once: messages, new threads, and stopping a turn.
 *
 * Never an approval, an answer about a host's key, a sign-out or typed input: those are for the moment in which they are made. There is no
 * method for them here, and the rows of the sdk's outbox have no kind for them.
 *
 * It is flushed after each write, when the network or the gateway is back, when the page is seen again or put away, and by the worker when the
 * system says so (Background Sync: worker/send-waiting.ts). All tabs show the same rows.
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { backoffMs, type Clock, type Random, type Timer } from '@clawdfather/kit';
import {
  createOutbox,
  type Outbox,
  type OutboxItem,
  type OutboxRow,
  type OutboxStore,
  type OutboxThread,
  type OutboxWire,
} from '@clawdfather/sdk';
import {
  isOfThread,
  isPassed,
  messagesOf,
  threadIdOf,
  type Unbegun,
  unbegunOf,
} from './outbox-rows.ts';
import type { Tabs } from '../state/tabs.ts';

export interface SayInput {
  /* Of a thread, or the key of one that is still in the outbox (`begin`). */
  readonly threadId: string;
  readonly text: string;
  /* Ids of uploads that are whole. */
  readonly attachments?: readonly string[];
  readonly whenKept?: WhenKept;
}

/* Called when it is kept, and before it is shown: its draft leaves the device then, or who comes back after a crash would send it again. */
export type WhenKept = () => Promise<void>;

export interface BeginInput extends Omit<Extract<OutboxItem, { kind: 'thread' }>, 'kind'> {
  readonly text: string;
  readonly attachments?: readonly string[];
  /* Of these, for who takes it back. */
  readonly note?: string;
  readonly whenKept?: WhenKept;
}

export interface DeviceOutbox {
  /* Everything that waits or was sent lately, in order. */
  readonly rows: ReadonlySignal<readonly OutboxRow[]>;
  rowsOf(threadId: string): ReadonlySignal<readonly OutboxRow[]>;
  /* Kept when it resolves. Throws `outbox-full`. */
  say(input: SayInput): Promise<OutboxRow>;
  /* A new thread and its first message. Its key stands for the thread until `threadIdOf` knows its id. */
  begin(input: BeginInput): Promise<{ readonly key: string }>;
  /* Undefined: the gateway has not made it yet. */
  threadIdOf(key: string): ReadonlySignal<string | undefined>;
  /* Conversations that the gateway does not have yet, or did not take. */
  readonly unbegun: ReadonlySignal<readonly Unbegun[]>;
  /* One of these, with what is to be said in it. */
  beginAgain(key: string): Promise<void>;
  drop(key: string): Promise<void>;
  cancelTurn(turnId: string): Promise<void>;
  /* Of a message that never left the device. False: it may have arrived. */
  withdraw(key: string): Promise<boolean>;
  again(key: string): Promise<void>;
  /* The conversation shows these turns itself: their rows are done with. */
  shown(turnIds: readonly string[]): Promise<void>;
  taken(turnId: string): Promise<void>;
  /* At once: something has changed. */
  readonly flush: () => void;
  /* After the device was wiped. */
  reload(): Promise<void>;
}

export interface DeviceOutboxDeps {
  readonly store: OutboxStore;
  readonly wire: OutboxWire;
  readonly clock: Clock;
  readonly random: Random;
  readonly tabs: Tabs;
  /* The gateway no longer knows this device. */
  readonly onRefused: () => void;
  /* Something waits that could not be sent: the system may wake the worker for it. */
  readonly onWaiting?: () => void;
}

export function openDeviceOutbox(deps: DeviceOutboxDeps): DeviceOutbox {
  const { store, tabs } = deps;
  const rows = signal<readonly OutboxRow[]>([]);
  const reload = async (): Promise<void> => {
    rows.value = await store.rows();
  };
  const changed = async (): Promise<void> => {
    tabs.tell('outbox');
    await reload();
  };
  const outbox = createOutbox({ ...deps, onChange: () => void changed() });
  const flush = createFlush(deps, () => outbox.flush());
  const written = async <Result>(writing: Promise<Result>): Promise<Result> => {
    try {
      return await writing;
    } finally {
      await changed();
      flush();
    }
  };
  const removeAll = async (leaving: readonly OutboxRow[]): Promise<void> => {
    if (leaving.length === 0) return;
    for (const { key } of leaving) await store.remove(key);
    await changed();
  };
  const clean = async (): Promise<void> => {
    await reload();
    await removeAll(rows.value.filter((row) => isPassed(row, rows.value, deps.clock.wallMs())));
  };
  tabs.onNews((news) => void (news === 'outbox' && reload()));
  void clean();
  return {
    rows,
    rowsOf: (threadId) =>
      computed(() => rows.value.filter((row) => isOfThread(row, threadId, rows.value))),
    say: ({ threadId, text, attachments, whenKept }) =>
      written(
        (async () => {
          const thread = threadOf(threadId, rows.value);
          const row = await outbox.write(thread, messageOf(text, attachments));
          await whenKept?.();
          return row;
        })(),
      ),
    ...newThreadsOf(outbox, rows, written),
    cancelTurn: async (turnId) => {
      await written(outbox.write({ kind: 'known', id: turnId }, { kind: 'cancel', turnId }));
    },
    withdraw: (key) => written(outbox.remove(key)),
    again: (key) => written(outbox.again(key)),
    shown: (turnIds) =>
      removeAll(
        rows.value.filter(
          ({ item, state }) =>
            item.kind === 'message' && 'id' in state && turnIds.includes(state.id),
        ),
      ),
    taken: (turnId) => outbox.taken(turnId),
    flush,
    reload,
  };
}

/* Conversations that are begun from this device: each is a row of its own, with rows of what is to be said in it. */
function newThreadsOf(
  outbox: Outbox,
  rows: ReadonlySignal<readonly OutboxRow[]>,
  written: <Result>(writing: Promise<Result>) => Promise<Result>,
): Pick<DeviceOutbox, 'begin' | 'threadIdOf' | 'unbegun' | 'beginAgain' | 'drop'> {
  return {
    begin: ({ text, attachments, note, whenKept, ...item }) =>
      written(
        (async () => {
          const { key, thread } = await outbox.begin({ kind: 'thread', ...item });
          try {
            await outbox.write(thread, messageOf(text, attachments, note));
          } catch (error) {
            // The last place was the thread's: without its message nobody wants it.
            await outbox.remove(key);
            throw error;
          }
          await whenKept?.();
          return { key };
        })(),
      ),
    threadIdOf: (key) => computed(() => threadIdOf(key, rows.value)),
    unbegun: computed(() => unbegunOf(rows.value)),
    beginAgain: (key) =>
      written(
        (async () => {
          const messages = messagesOf(key, rows.value);
          for (const one of [key, ...messages.map((row) => row.key)]) await outbox.again(one);
        })(),
      ),
    drop: (key) =>
      written(
        (async () => {
          const messages = messagesOf(key, rows.value);
          // The thread last: while it is there, its messages have a place.
          for (const one of [...messages.map((row) => row.key), key]) await outbox.remove(one);
        })(),
      ),
  };
}

function messageOf(text: string, attachments: readonly string[] = [], note?: string): OutboxItem {
  if (attachments.length === 0) return { kind: 'message', text };
  return { kind: 'message', text, attachments, ...(note === undefined ? {} : { note }) };
}

function threadOf(id: string, rows: readonly OutboxRow[]): OutboxThread {
  const isNew = rows.some(({ key, item }) => key === id && item.kind === 'thread');
  return isNew ? { kind: 'new', key: id } : { kind: 'known', id };
}

/*
 * One at a time; one that is asked for meanwhile comes after it; one that could not be done is tried again, later each time. Who asks has seen something
 * change, so what comes after that begins anew.
 *
 * The system is asked to wake the worker when the first attempt has failed, and not after those that follow: as long as it believes that there is a network,
 * it wakes it at once.
 */
function createFlush(
  { clock, random, onRefused, onWaiting }: DeviceOutboxDeps,
  flushOnce: () => Promise<'done' | 'stopped'>,
): () => void {
  let isFlushing = false;
  let isAsked = false;
  let attempt = 0;
  let timer: Timer | undefined;
  const run = async (): Promise<void> => {
    isFlushing = true;
    timer?.cancel();
    try {
      do {
        isAsked = false;
        if ((await flushOnce()) === 'stopped') later();
      } while (isAsked);
    } catch {
      // The device is refused, or its browser fails it: the rows stay until it is signed in, or wiped, and nothing else may come to try again.
      onRefused();
      later();
    } finally {
      isFlushing = false;
    }
  };
  const later = (): void => {
    if (attempt === 0) onWaiting?.();
    timer?.cancel();
    timer = clock.timer(backoffMs(attempt, random), flush);
    attempt += 1;
  };
  const flush = (): void => {
    isAsked = true;
    if (!isFlushing) void run();
  };
  return () => {
    attempt = 0;
    flush();
  };
}
