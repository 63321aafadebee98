/*
 * The one stream of everything that happens in the account, from now on. Screens refresh what they show when something of theirs has
 * changed, so a phone holds one connection, and none of them asks again and again.
 *
 * Whether the stream is live is whether the app is: `link` is what the strip at the top shows.
 */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Clock, Random } from '@clawdfather/kit';
import { api } from '@clawdfather/protocol/api';
import { type Client, followEvents, type LinkState } from '@clawdfather/sdk';
import type { Resource } from '../data/resource.ts';
import { problemOf } from '../data/problem.ts';
import type { Membership } from './membership.ts';

export interface Feed {
  readonly link: ReadonlySignal<FeedLink>;
  /* Called with the type of each event, and with 'all' when anything may have been missed. */
  onEvent(listener: (type: string) => void): () => void;
  close(): void;
}

export type FeedLink =
  | { readonly kind: 'live' }
  | { readonly kind: 'reconnecting'; readonly sinceMs: number }
  | { readonly kind: 'signed-out' };

export interface FeedDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly membership: Pick<Membership, 'standing'>;
}

/* While somebody is signed in. */
export function openFeed({ client, clock, random, membership }: FeedDeps): Feed {
  const link = signal<FeedLink>({ kind: 'live' });
  const listeners = new Set<(type: string) => void>();
  let ending = new AbortController();
  const tell = (type: string): void => {
    for (const listener of listeners) listener(type);
  };
  const onLink = ({ kind }: LinkState): void => {
    if (kind === 'live') {
      const wasLost = link.value.kind === 'reconnecting';
      link.value = { kind: 'live' };
      if (wasLost) tell('all');
    } else if (kind === 'lost' && link.value.kind === 'live') {
      link.value = { kind: 'reconnecting', sinceMs: clock.wallMs() };
    }
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    const { last_seq: after } = await client.events.list({ query: { after: 'now' } });
    const input = {
      endpoint: api.events.list,
      query: { after },
      lastEvents: [],
      lastId: String(after),
    };
    for await (const { name } of followEvents(client.connection, input, {
      clock,
      random,
      signal,
      onLink,
    })) {
      tell(name === 'gap' ? 'all' : name);
    }
  };
  const keep = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (problemOf(error).kind === 'signed-out') {
          link.value = { kind: 'signed-out' };
          return;
        }
        link.value = { kind: 'reconnecting', sinceMs: clock.wallMs() };
        await clock.sleep(againMs, signal).catch(() => undefined);
      }
    }
  };
  const stop = effect(() => {
    ending.abort();
    if (membership.standing.value.kind !== 'in') return;
    ending = new AbortController();
    void keep(ending.signal);
  });
  return {
    link,
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      stop();
      ending.abort();
    },
  };
}

/* After the first question went unanswered; the stream itself has a rhythm of its own. */
const againMs = 2_000;

/* Several changes in a row are one look. */
export function useRefreshOn(
  feed: Feed,
  prefixes: readonly string[],
  resource: Resource<unknown>,
): void {
  useEffect(
    () =>
      feed.onEvent((type) => {
        if (type === 'all' || prefixes.some((prefix) => type.startsWith(prefix)))
          void resource.refresh();
      }),
    [feed, resource],
  );
}
