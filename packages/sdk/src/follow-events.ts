/*
 * Server-sent events from a place in them, however often the connection is lost on the way.
 *
 * Every event has an id, and the id is a position that stays valid for ever. So a connection that breaks is opened again from
 * the last id that was seen, and nothing is missed or seen twice. Whoever reads learns of it only through `onLink`.
 *
 * The stream ends where the gateway ends it on purpose, with an event whose name is in `lastEvents`. An end without one is a
 * broken connection. A refusal (not found, no longer signed in) is thrown; waiting would not change it.
 */
import { abortWith, backoffMs, type Clock, type Random } from '@clawdfather/kit';
import type { Endpoint } from '@clawdfather/protocol/api';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type CallParts, type Connection, sendRequest, throwIfRefused } from './call-endpoint.ts';
import { isWorthRetrying } from './is-worth-retrying.ts';
import { createRenewal, type Renewal } from './renewal.ts';
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
  /* At everything that comes, keep-alives included. */
  readonly onHeard?: () => void;
  /*
   * Is given the function that replaces the connection, or ends the wait for the next one, at once: for those who know better, such as a page
   * that was asleep. What it returns is called when the stream is over.
   */
  readonly renewals?: (renew: () => void) => () => void;
  /* Nothing for this long, keep-alives included (20 s), is a connection that is gone without a word. Default: 60 s. */
  readonly silenceMs?: number;
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

export const silenceMs = 60_000;
/* A gateway answers at once. A browser may have taken a connection from before its sleep for it, so the first limit is short. */
const connectMsMax = 20_000;
const connectMsFirst = 5_000;
/* Bigger than any one event that the gateway sends. */
const eventCharactersMax = 4 * 1024 * 1024;

export async function* followEvents(
  connection: Connection,
  input: FollowInput,
  options: FollowOptions,
): AsyncGenerator<ServerEvent, void, undefined> {
  const renewing = createRenewal(options);
  try {
    yield* followOn(connection, input, { ...options, renewing });
  } finally {
    renewing.stop();
  }
}

async function* followOn(
  connection: Connection,
  input: FollowInput,
  options: FollowOptions & { readonly renewing: Renewal },
): AsyncGenerator<ServerEvent, void, undefined> {
  const { clock, random, signal, onLink, renewing } = options;
  let lastId = input.lastId;
  let attempt = 0;
  while (true) {
    signal?.throwIfAborted();
    const ending = renewing.next();
    onLink?.({ kind: 'connecting', attempt });
    try {
      const connectMs = Math.min(connectMsMax, connectMsFirst * 2 ** Math.min(attempt, 10));
      const once = { ...options, signal: ending, connectMs };
      for await (const event of readOnce(connection, { ...input, lastId }, once)) {
        attempt = 0;
        if (event.id !== undefined) lastId = event.id;
        yield event;
        if (input.lastEvents.includes(event.name)) return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!ending.aborted && !isWorthRetrying(error)) throw error;
    }
    if (!ending.aborted) {
      const retryInMs = backoffMs(attempt, random);
      attempt += 1;
      onLink?.({ kind: 'lost', retryInMs });
      // A renewal ends the wait; the end of it all is looked at above.
      await clock.sleep(retryInMs, ending).catch(() => {});
    }
    if (ending.aborted) attempt = 0;
  }
}

async function* readOnce(
  connection: Connection,
  input: Omit<FollowInput, 'lastId'> & { readonly lastId: string | undefined },
  options: FollowOptions & { readonly connectMs: number },
): AsyncGenerator<ServerEvent, void, undefined> {
  const { clock, signal, onLink, onHeard, connectMs, silenceMs: quietMs = silenceMs } = options;
  const quiet = new AbortController();
  const leave = abortWith(signal, quiet);
  let timer = clock.timer(connectMs, () => quiet.abort());
  const heard = (): void => {
    timer.cancel();
    timer = clock.timer(quietMs, () => quiet.abort());
    onHeard?.();
  };
  try {
    const { lastId, endpoint, params, query } = input;
    const response = await sendRequest(connection, endpoint, {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(lastId === undefined ? {} : { headers: { 'last-event-id': lastId } }),
      accept: 'text/event-stream',
      options: { signal: quiet.signal },
    });
    await throwIfRefused(response);
    if (response.body === null) return;
    heard();
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
    leave();
    quiet.abort();
  }
}
