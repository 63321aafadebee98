/*
 * The hosts of accounts, as the tools see them: a connection is a host. A command goes through a session on it: one that is live, or
 * else one that is started for it and has the usual idle rules.
 */
import { type AccountId, isId } from '@clawdfather/kit';
import { execLimits } from '@clawdfather/protocol';
import { type Connection, parseAccountId, type Store } from '@clawdfather/store';
import type { HostPort, HostSpawn, HostStart, RemoteHosts } from '@clawdfather/supervisor';
import { ToolsError } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import { type HostCommands, homeOnHost } from './host-commands.ts';
import type { LiveHost } from './host-sessions.ts';

export interface RemoteHostsDeps {
  readonly store: Store;
  readonly commands: HostCommands;
  /* The one that is named, or a live one on this connection; started if there is none, once for all who ask at the same time. */
  readonly sessionOn: (wish: SessionWish) => Promise<LiveHost>;
}

export interface SessionWish {
  readonly accountId: AccountId;
  readonly connection: Connection;
  readonly requester: string;
  /* Absent: whichever there is. */
  readonly sessionId: string | undefined;
}

export function createRemoteHosts(deps: RemoteHostsDeps): RemoteHosts {
  const { store } = deps;
  return {
    find: async (account, idOrLabel) => {
      if (!isId(account)) return undefined;
      const accountId = parseAccountId(account);
      const connection = await findConnection(store, accountId, idOrLabel);
      return connection && createHost(deps, connection);
    },
    idsOf: async (account) => {
      if (!isId(account)) return [];
      const { items } = await store.forAccount(parseAccountId(account)).connections.list();
      return items.map(({ label }) => label);
    },
  };
}

/* More than a person has. */
const connectionsMax = 1_000;

export async function findConnection(
  store: Store,
  accountId: AccountId,
  idOrLabel: string,
): Promise<Connection | undefined> {
  const { connections } = store.forAccount(accountId);
  const byId = isId(idOrLabel) ? await connections.get(idOrLabel) : undefined;
  if (byId !== undefined) return byId;
  const { items } = await connections.list({ limit: connectionsMax });
  return items.find(({ label }) => label === idOrLabel);
}

function createHost(deps: RemoteHostsDeps, connection: Connection): HostPort {
  return {
    id: connection.id,
    name: connection.label,
    isFullyAllowed: connection.policy === 'full',
    usualTimeoutSeconds: execLimits.timeoutSeconds.usualRemote,
    // Programs are looked for there.
    searchPath: '',
    homeDirectory: homeOnHost,
    userOf: async () => undefined,
    // The command itself says whether it is there: a look of its own would cost a round trip.
    findDirectory: async (path) => ({ kind: 'found', path }),
    // What a person decides on; the way there is made at the start.
    plan: async ({ command, terminal }): Promise<HostSpawn> => {
      const argv = command.kind === 'line' ? (['sh', '-c', command.line] as const) : command.argv;
      return { mode: terminal === undefined ? 'child' : 'pty-argv', argv, cwd: '/', env: {} };
    },
    prepare: async (start, signal) => {
      const host = await sessionFor(deps, start, connection);
      return deps.commands.prepare(host, start, signal);
    },
  };
}

async function sessionFor(
  { sessionOn }: RemoteHostsDeps,
  { account, requester, sessionId }: HostStart,
  connection: Connection,
): Promise<LiveHost> {
  try {
    return await sessionOn({
      accountId: parseAccountId(account),
      connection,
      requester,
      sessionId,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const look = `Nothing was started. Look at it with: clf host test ${connection.label}`;
    throw new ToolsError('host-unreachable', `${connection.label}: ${error.message}`, {
      detail: { host: connection.label, code: error.code, ...error.detail },
      hint: error.hint === undefined ? look : `${error.hint} ${look}`,
      cause: error,
    });
  }
}
