/*
 * Server-sent events from a place in them, however often the connection is lost on the way.
 *
 * Every event has an id, and the id is a position that stays valid for ever. So a connection that breaks is opened again from
 * the last id that was seen, and nothing is missed or seen twice. Whoever reads learns of it only through `onLink`.
 *
 * The stream ends where the gateway ends it on purpose, with an event whose name is in `lastEvents`. An end without one is a
 * broken connection. A refusal (not found, no longer signed in) is thrown; waiting would not change it.
 */
import { backoffMs, type Clock, type Random } from '@clawdfather/kit';
import type { Endpoint } from '@clawdfather/protocol/api';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type CallParts, type Connection, sendRequest, throwIfRefused } from './call-endpoint.ts';
import { isWorthRetrying } from './is-worth-retrying.ts';
import { readStream } from './read-stream.ts';

export type LinkState =
  | { readonly kind: 'connecting'; readonly attempt: number }
  | { readonly kind: 'live' }
  | { readonly kind: 'lost'; readonly retryInMs: number };

export interface FollowOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
  readonly onLink?: (state: LinkState) => void;
}

export interface FollowInput extends CallParts {
  readonly endpoint: Endpoint;
  /* After the last event that was seen; absent for the beginning. */
  readonly lastId?: string;
  /* Names of events after which there is nothing more. */
  readonly lastEvents: readonly string[];
}

export interface ServerEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: string;
}

/* Nothing for this long, keep-alives included (20 s), is a connection that is gone without a word. */
export const silenceMs = 60_000;
/* Bigger than any one event that the gateway sends. */
const eventCharactersMax = 4 * 1024 * 1024;

export async function* followEvents(
  connection: Connection,
  input: FollowInput,
  options: FollowOptions,
): AsyncGenerator<ServerEvent, void, undefined> {
  const { clock, random, signal, onLink } = options;
  let lastId = input.lastId;
  let attempt = 0;
  while (true) {
    signal?.throwIfAborted();
    onLink?.({ kind: 'connecting', attempt });
    try {
      for await (const event of readOnce(connection, { ...input, lastId }, options)) {
        attempt = 0;
        if (event.id !== undefined) lastId = event.id;
        yield event;
        if (input.lastEvents.includes(event.name)) return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isWorthRetrying(error)) throw error;
    }
    const retryInMs = backoffMs(attempt, random);
    attempt += 1;
    onLink?.({ kind: 'lost', retryInMs });
    await clock.sleep(retryInMs, signal);
  }
}

async function* readOnce(
  connection: Connection,
  input: Omit<FollowInput, 'lastId'> & { readonly lastId: string | undefined },
  { clock, signal, onLink }: FollowOptions,
): AsyncGenerator<ServerEvent, void, undefined> {
  const quiet = new AbortController();
  const ending = signal === undefined ? quiet.signal : AbortSignal.any([signal, quiet.signal]);
  let timer = clock.timer(silenceMs, () => quiet.abort());
  const heard = (): void => {
    timer.cancel();
    timer = clock.timer(silenceMs, () => quiet.abort());
  };
  try {
    const { lastId, endpoint, params, query } = input;
    const response = await sendRequest(connection, endpoint, {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(lastId === undefined ? {} : { headers: { 'last-event-id': lastId } }),
      accept: 'text/event-stream',
      options: { signal: ending },
    });
    await throwIfRefused(response);
    if (response.body === null) return;
    onLink?.({ kind: 'live' });
    const events = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(
        new EventSourceParserStream({ maxBufferSize: eventCharactersMax, onComment: heard }),
      );
    for await (const { id, event = 'message', data } of readStream(events)) {
      heard();
      yield { id, name: event, data };
    }
  } finally {
    timer.cancel();
    quiet.abort();
  }
}
