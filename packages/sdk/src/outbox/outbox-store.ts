/*
 * Where the outbox keeps its rows: in a page IndexedDB and Web Locks, here the port and a memory that is gone with its process.
 */
import type { OutboxState } from './next-outbox-row.ts';

/* What people write. Never an approval, a decision about a host key, or typed input: those are for the moment in which they are made. */
export type OutboxItem =
  | {
      readonly kind: 'thread';
      readonly agent?: string;
      readonly connectionId?: string;
      readonly directory?: string;
      readonly title?: string;
      /* For the agent: a value for each choice. */
      readonly chosen?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'message';
      readonly text: string;
      /* Ids of uploads that are whole. */
      readonly attachments?: readonly string[];
      /* What its writer needs to change it before it is sent, such as the names of those. Never sent. */
      readonly note?: string;
      readonly loadClass?: 'short_task' | 'long_task' | 'complex_chain_task';
    }
  /* Of the turn that the message with this key has become, or of one that is known. */
  | { readonly kind: 'cancel'; readonly ofKey: string }
  | { readonly kind: 'cancel'; readonly turnId: string };

/* The thread that a row is for. A new one has the key of the row that makes it. */
export type OutboxThread =
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'new'; readonly key: string };

export interface NewOutboxRow {
  /* The idempotency key. */
  readonly key: string;
  readonly thread: OutboxThread;
  readonly item: OutboxItem;
  readonly writtenAtMs: number;
  readonly state: OutboxState;
}

export interface OutboxRow extends NewOutboxRow {
  /* Rows of a thread are sent in this order. */
  readonly order: number;
}

export interface OutboxStore {
  /* In order. */
  rows(): Promise<readonly OutboxRow[]>;
  /* With the next number, in one step. Undefined: `rowsMax` are there that are not settled. */
  append(row: NewOutboxRow, rowsMax: number): Promise<OutboxRow | undefined>;
  /* Durable when it resolves. A row that was removed meanwhile stays removed. */
  replace(row: OutboxRow): Promise<void>;
  remove(key: string): Promise<void>;
  /* One sender at a time, over all tabs. It waits for the others; a tab that dies has let go. */
  withLock<Result>(work: () => Promise<Result>): Promise<Result>;
}
