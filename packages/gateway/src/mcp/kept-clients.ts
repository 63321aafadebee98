/*
 * The clients that are remembered, and for how long.
 *
 * There is a limit per account and one for all. Beyond it the client that has been idle the longest is forgotten, first one of the
 * same account. That is as harmless as a restart: a session is taken up again when its client comes back (session-record.ts), and
 * runs and cursors are still there. A client with an open request is never forgotten.
 *
 * One timer runs as long as there are clients.
 */
import type { Clock, Log, Timer } from '@clawdfather/kit';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { clientsMax, clientsPerAccountMax, idleLookMs, idleMsMax } from './limits.ts';

export interface Keepable {
  readonly caller: Caller;
  close(): Promise<void>;
}

export interface KeptClients<Client extends Keepable> {
  find(key: string): Client | undefined;
  /* Throws `rate_limited` when there is no room and every client has a request open. */
  makeRoom(accountId: string): void;
  add(key: string, client: Client): void;
  /* A request of it is open; call the result when it is over. */
  hold(key: string): () => void;
  /* Those of a token that have a request open. */
  busyOf(tokenId: string): readonly Client[];
  remove(key: string): void;
  /* Resolves when all are closed. */
  close(): Promise<void>;
}

interface Kept<Client> {
  readonly client: Client;
  openRequests: number;
  usedMs: number;
}

export interface KeptClientsDeps {
  readonly clock: Clock;
  readonly log: Log;
  /* What a token opened ends with it. */
  readonly tokens: Pick<LiveTokens, 'onForgotten'>;
}

export function createKeptClients<Client extends Keepable>({
  clock,
  log,
  tokens,
}: KeptClientsDeps): KeptClients<Client> {
  const kept = new Map<string, Kept<Client>>();
  let timer: Timer | undefined;

  const closed = async ({ client }: Kept<Client>): Promise<void> => {
    await client.close().catch((error: unknown) => log.warn('mcp-close-failed', { error }));
  };
  const remove = (key: string): void => {
    const found = kept.get(key);
    if (!kept.delete(key) || found === undefined) return;
    void closed(found);
  };
  const removeIf = (isOver: (one: Kept<Client>) => boolean): void => {
    for (const [key, one] of kept) if (isOver(one)) remove(key);
  };
  const arm = (): void => {
    if (timer !== undefined || kept.size === 0) return;
    timer = clock.timer(idleLookMs, () => {
      timer = undefined;
      const beforeMs = clock.monotonicMs() - idleMsMax;
      removeIf(({ openRequests, usedMs }) => openRequests === 0 && usedMs <= beforeMs);
      arm();
    });
    timer.unref();
  };
  const stopListening = tokens.onForgotten((id) =>
    removeIf(({ client }) => client.caller.id === id),
  );

  return {
    find: (key) => kept.get(key)?.client,
    makeRoom: (accountId) => {
      const all = [...kept];
      const own = all.filter(([, { client }]) => client.caller.accountId === accountId);
      if (own.length >= clientsPerAccountMax) remove(longestIdle(own));
      else if (all.length >= clientsMax) remove(longestIdle(all));
    },
    add: (key, client) => {
      kept.set(key, { client, openRequests: 0, usedMs: clock.monotonicMs() });
      arm();
    },
    hold: (key) => {
      const one = kept.get(key);
      if (one === undefined) return () => {};
      one.openRequests += 1;
      return () => {
        one.openRequests -= 1;
        one.usedMs = clock.monotonicMs();
      };
    },
    busyOf: (tokenId) =>
      [...kept.values()]
        .filter(({ client, openRequests }) => openRequests > 0 && client.caller.id === tokenId)
        .map(({ client }) => client),
    remove,
    close: async () => {
      stopListening();
      timer?.cancel();
      const all = [...kept.values()];
      kept.clear();
      await Promise.all(all.map(closed));
    },
  };
}

/* Its key. Throws `rate_limited` when all have a request open. */
function longestIdle(candidates: readonly (readonly [string, Kept<unknown>])[]): string {
  const idle = candidates.filter(([, { openRequests }]) => openRequests === 0);
  const [oldest] = idle.toSorted(([, a], [, b]) => a.usedMs - b.usedMs);
  if (oldest !== undefined) return oldest[0];
  throw new ApiError('rate_limited', `${candidates.length} MCP clients are connected already`, {
    headers: { 'retry-after': '1' },
  });
}
