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

/* The threads of one account, backwards. */
export interface ThreadHistory {
  /* Those below this number, newest first. */
  before(
    threadId: string,
    range: { readonly before: number; readonly limit: number },
  ): Promise<readonly BriefEvent[]>;
  /* In characters. Undefined: there is no such event. */
  eventText(
    threadId: string,
    piece: { readonly seq: number; readonly offset: number; readonly limit: number },
  ): Promise<EventText | undefined>;
}
