/*
 * Directories to begin work in, for the person who asks.
 */
import { type Clock, startTimeLimit } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { AccountId, Store } from '@clawdfather/store';
import { directoryOf, localHost } from '@clawdfather/supervisor/origins';
import { ToolsError } from '@clawdfather/tools';
import { TreeError } from '../artifacts/artifact-tree.ts';
import { createShellHere } from '../artifacts/shell-here.ts';
import { type BoundedShells, lookMs, NoRoomError } from '../directories/bounded-shell.ts';
import { listByShell } from '../directories/list-directories.ts';
import { type Listing, rootsAfter } from '../directories/listing.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import type { AgentPlaces } from '../hosts/agent-places.ts';
import { notFound } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import type { Handlers } from '../http/handlers.ts';
import { kindsOn } from '../runs/list-runs.ts';
import type { Runs } from '../runs/open-runs.ts';
import { kindsOf } from '../runs/whose-runs.ts';
import { listOpenSessions } from '../sessions/list-open-sessions.ts';

export interface DirectoriesParts {
  readonly config: Pick<GatewayConfig, 'runs'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly runs: Pick<Runs, 'users' | 'supervisor'>;
  readonly shells: BoundedShells;
  readonly hosts: { readonly agents: Pick<AgentPlaces, 'streamShort'> };
}

type Answer = AnswerOf<Api['directories']['suggest']>;

interface Wish {
  readonly accountId: AccountId;
  readonly connectionId: string | undefined;
  readonly prefix: string;
}

/* The newest threads and the newest runs that are looked at, and the directories that are shown of them. */
const lookedAtMax = 100;
const recentMax = 12;

export function createDirectoriesHandlers(parts: DirectoriesParts): Handlers<Api['directories']> {
  return {
    suggest: async ({ caller, query, signal }) => {
      const { accountId } = caller;
      const { connection_id: connectionId, prefix } = query;
      const wish = { accountId, connectionId, prefix };
      const mine = parts.store.forAccount(accountId);
      if (connectionId !== undefined && (await mine.connections.get(connectionId)) === undefined) {
        throw notFound();
      }
      const recent = await readRecent(parts, caller, connectionId);
      using limit = startTimeLimit(parts.clock, lookMs, [signal]);
      const found = await list(parts, wish, limit.signal).catch((error: unknown) => {
        if (limit.isPast || limit.signal.aborted) return 'no_answer' as const;
        throw error;
      });
      if (typeof found === 'string') return { recent, ...nothing, unlisted: found };
      return { recent, items: [...found.items], has_more: found.hasMore, unlisted: null };
    },
  };
}

const nothing = { items: [], has_more: false };

async function readRecent(
  { store, runs }: DirectoriesParts,
  caller: Caller,
  connectionId: string | undefined,
): Promise<Answer['recent']> {
  const { items } = await store.forAccount(caller.accountId).threads.list({ limit: lookedAtMax });
  const usedAt = new Map<string, number>();
  const note = (directory: string, atMs: number): void => {
    usedAt.set(directory, Math.max(usedAt.get(directory) ?? 0, atMs));
  };
  for (const thread of items) {
    if (thread.connectionId === connectionId) note(thread.cwd, thread.updatedAtMs);
  }
  const anyOf = kindsOn({ id: connectionId ?? localHost }, kindsOf(caller));
  for (const run of runs.supervisor.list({ anyOf, limit: lookedAtMax })) {
    const directory = directoryOf(run);
    // On a host one may have begun wherever a login begins.
    if (directory.startsWith('/')) note(directory, run.createdAtMs);
  }
  return [...usedAt]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, recentMax)
    .map(([directory, atMs]) => ({ directory, used_at: formatTime(atMs) }));
}

async function list(
  parts: DirectoriesParts,
  wish: Wish,
  signal: AbortSignal,
): Promise<Listing | NonNullable<Answer['unlisted']>> {
  const { prefix } = wish;
  try {
    if (wish.connectionId !== undefined) return await listOnHost(parts, wish, signal);
    const user = parts.runs.users.of(wish.accountId);
    const { environment, directory, suggestRoots: roots = [] } = parts.config.runs;
    const home = user?.home ?? environment['HOME'] ?? directory;
    const run = parts.shells.bound(wish.accountId, createShellHere(user));
    const found = await listByShell(run, { prefix, home, roots }, signal);
    if (found !== 'outside') return found ?? 'unreadable';
    const after = rootsAfter(prefix, roots, home);
    return after.items.length === 0 ? 'outside' : after;
  } catch (error) {
    if (error instanceof NoRoomError) return 'busy';
    signal.throwIfAborted();
    if (error instanceof TreeError) return 'not_connected';
    if (error instanceof ToolsError && error.code === 'account-not-local') return 'not_allowed';
    throw error;
  }
}

/* Only where a session is open already. */
async function listOnHost(
  { store, hosts, shells }: DirectoriesParts,
  { accountId, connectionId, prefix }: Wish,
  signal: AbortSignal,
): Promise<Listing | 'not_connected' | 'unreadable' | 'outside'> {
  const open = await listOpenSessions(store.forAccount(accountId));
  const session = open.find((one) => one.connectionId === connectionId && one.status === 'active');
  if (session === undefined) return 'not_connected';
  const run = (command: Parameters<AgentPlaces['streamShort']>[1]) =>
    hosts.agents.streamShort(session.id, command);
  const found = await listByShell(shells.bound(accountId, run), { prefix }, signal);
  return found ?? 'unreadable';
}
