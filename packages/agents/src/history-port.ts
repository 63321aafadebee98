/*
 * What reading a thread back needs from the control database. `store` implements it.
 */
import type { EventRow } from './rows.ts';

/* An event as a list may show it, however large it is. */
export interface BriefEvent extends EventRow {
  /* `payload` is only the beginning of it: the size of the whole, as JSON. */
  readonly wholeBytes?: number | undefined;
}

/* A piece of an event's payload, as JSON. */
export interface EventText extends Omit<EventRow, 'payload'> {
  readonly text: string;
  /* Of the whole; a character is a code point. */
  readonly characters: number;
}

/* How much there is to read, before it is read. */
export interface EventSize {
  readonly seq: number;
  /* Of its payload, as JSON. */
  readonly bytes: number;
}

/* The threads of one account, backwards. */
export interface ThreadHistory {
  /* Those below this number, newest first. */
  before(
    threadId: string,
    range: { readonly before: number; readonly limit: number },
  ): Promise<readonly BriefEvent[]>;
  /* After this number, in order. */
  sizes(
    threadId: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly EventSize[]>;
  /* What tools told in a turn, in order; a payload of more bytes than these is only its beginning. */
  tools(
    threadId: string,
    range: {
      readonly turnId: string;
      readonly after: number;
      readonly limit: number;
      readonly bytesMax: number;
    },
  ): Promise<readonly BriefEvent[]>;
  /* What tools told last in a turn, newest first; of what is long only its beginning. */
  lastTools(
    threadId: string,
    range: { readonly turnId: string; readonly limit: number },
  ): Promise<readonly BriefEvent[]>;
  /* In characters. Undefined: there is no such event. */
  eventText(
    threadId: string,
    piece: { readonly seq: number; readonly offset: number; readonly limit: number },
  ): Promise<EventText | undefined>;
}
