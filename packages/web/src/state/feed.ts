/*
 * The one stream of everything that happens in the account, from now on. Screens refresh what they show when something of theirs has
 * changed, so a phone holds one connection, and none of them asks again and again.
 *
 * Whether the stream is live is whether the app is: the connection is told of all that becomes of it.
 */
import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { abortWith, type Clock, type Random } from '@clawdfather/kit';
import { type AccountEvent, type Client, followAccount, type LinkState } from '@clawdfather/sdk';
import { useApp } from '../app-context.ts';
import { createPacedRefresh } from '../data/paced-refresh.ts';
import type { Resource } from '../data/resource.ts';
import { problemOf } from '../data/problem.ts';
import type { Connection } from './connection.ts';
import type { Membership } from './membership.ts';
import { heartbeatMs } from './renewal.ts';

/* 'all': anything may have been missed. */
export type FeedListener = (type: AccountEvent['type'] | 'all', event?: AccountEvent) => void;

export interface Feed {
  onEvent(listener: FeedListener): () => void;
  close(): void;
}

export interface FeedDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly membership: Pick<Membership, 'standing' | 'ask'>;
  readonly connection: Connection;
}

/* Two heartbeats and a little. */
const silenceMs = 2 * heartbeatMs + 5_000;
/* After the first question went unanswered; the stream itself has a rhythm of its own. */
const againMs = 2_000;
/* So long a strip has to stay to be read. */
const readMs = 2_000;

/* While somebody is signed in. */
export function openFeed(deps: FeedDeps): Feed {
  const { client, clock, random, membership, connection } = deps;
  const listeners = new Set<FeedListener>();
  let ending = new AbortController();
  const tell: FeedListener = (type, event) => {
    for (const listener of listeners) listener(type, event);
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    let seen = await newestSeq(deps, signal);
    let isAgain = false;
    let catching = new AbortController();
    const onLink = (link: LinkState): void => {
      catching.abort();
      connection.onLink(link);
      if (link.kind !== 'live') return;
      catching = new AbortController();
      // What came before the stream is missing in what is shown.
      if (isAgain) tell('all');
      isAgain = true;
      const leave = abortWith(signal, catching);
      void catchUp(deps, () => seen, catching.signal).finally(leave);
    };
    tell('all');
    const { onHeard, renewals } = connection;
    const options = { clock, random, signal, onLink, onHeard, renewals, silenceMs };
    for await (const happening of followAccount({ client, after: seen }, options)) {
      if (happening.kind === 'gap') {
        seen = happening.gap.to;
        tell('all');
        continue;
      }
      seen = happening.event.seq;
      tell(happening.event.type, happening.event);
    }
  };
  const keep = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        connection.onLink({ kind: 'lost', retryInMs: againMs });
        // Whether it is true that this device is not known any more, is asked for by itself.
        if (problemOf(error).kind === 'signed-out' && !(await membership.ask())) return;
        await restUntilRenewed(deps, signal);
      }
    }
  };
  // Whether the standing is proven makes no difference here.
  const who = computed(() => {
    const { value: standing } = membership.standing;
    return standing.kind === 'in' ? standing.account.id : standing.kind;
  });
  const stop = who.subscribe((whoNow) => {
    ending.abort();
    if (whoNow === 'out') connection.note({ kind: 'refused' });
    if (whoNow === 'out' || whoNow === 'asking') return;
    connection.note({ kind: 'signed-in' });
    ending = new AbortController();
    void keep(ending.signal);
  });
  return {
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

/* By itself: a stream cannot say where it begins. Ended and asked again when the page comes back, as a stream is. */
async function newestSeq({ client, connection }: FeedDeps, signal: AbortSignal): Promise<number> {
  while (true) {
    const renewed = new AbortController();
    const stop = connection.renewals(() => renewed.abort());
    const leave = abortWith(signal, renewed);
    try {
      const asked = { signal: renewed.signal };
      return (await client.events.list({ query: { after: 'now' } }, asked)).last_seq;
    } catch (error) {
      if (signal.aborted || !renewed.signal.aborted) throw error;
    } finally {
      stop();
      leave();
    }
  }
}

/*
 * After a restart that was told of: until everything is here that had happened when the stream was opened. The signal is aborted when that
 * stream is lost: the next one has its own. Nobody can decide anything meanwhile, so a question that failed is asked again.
 */
async function catchUp(deps: FeedDeps, seen: () => number, signal: AbortSignal): Promise<void> {
  const { clock, connection } = deps;
  const isCatchingUp = (): boolean =>
    !signal.aborted && connection.state.value.link.kind === 'catching-up';
  while (isCatchingUp()) {
    try {
      const newest = await newestSeq(deps, signal);
      do await clock.sleep(readMs, signal);
      while (isCatchingUp() && seen() < newest);
      if (isCatchingUp()) connection.note({ kind: 'caught-up' });
    } catch {
      await restUntilRenewed(deps, signal);
    }
  }
}

async function restUntilRenewed(
  { clock, connection }: FeedDeps,
  signal: AbortSignal,
): Promise<void> {
  const rested = new AbortController();
  const stop = connection.renewals(() => rested.abort());
  const leave = abortWith(signal, rested);
  await clock.sleep(againMs, rested.signal).catch(() => undefined);
  stop();
  leave();
}

/* Several changes in a row are one look, or two (data/paced-refresh.ts). */
export function useRefreshOn(
  feed: Feed,
  prefixes: readonly string[],
  resource: Resource<unknown>,
): void {
  const { clock } = useApp();
  useEffect(() => {
    const paced = createPacedRefresh(clock, () => void resource.refresh());
    const leave = feed.onEvent((type) => {
      if (type === 'all' || prefixes.some((prefix) => type.startsWith(prefix))) paced.ask();
    });
    return () => {
      leave();
      paced.close();
    };
  }, [clock, feed, resource]);
}
