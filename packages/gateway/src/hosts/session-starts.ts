/*
 * Sessions on hosts that are started for something, and not by a person: for a command that names none, and for the agent of a thread.
 *
 * Commands share one; those who ask at the same time wait for the same start. An agent has its own: what closes it ends the agent with all
 * that it left, and nothing of anyone else; and the agent, which holds a session of the host for hours, takes no place from commands.
 */
import type { AccountId } from '@clawdfather/kit';
import { ApiError, notFound } from '../http/api-error.ts';
import { tooManySessions } from '../accounts/session-bounds.ts';
import { noAgent } from '../sessions/show-session.ts';
import { sessionActor as actor } from './explain-loss.ts';
import type { HostSessions, LiveHost } from './host-sessions.ts';
import type { HostsDeps } from './open-hosts.ts';
import type { RemoteHostsDeps, SessionWish } from './remote-hosts.ts';
import { type HostStartDeps, isFailedStart, startHostSession } from './start-host-session.ts';

export interface SessionStarts {
  readonly sessionOn: RemoteHostsDeps['sessionOn'];
  /* A new one. Throws `ssh_connect_failed` and what else a start throws. */
  forAgent(wish: AgentSessionWish): Promise<LiveHost>;
}

export interface AgentSessionWish {
  readonly accountId: AccountId;
  readonly connectionId: string;
  readonly requester: string;
  readonly agent: string;
  readonly threadId: string;
}

type StartsDeps = Pick<HostsDeps, 'store' | 'instance' | 'openMaxOf' | 'sessions'>;
type NewSession = Omit<AgentSessionWish, 'threadId'> & { readonly threadId?: string };

export function createSessionStarts(
  deps: StartsDeps,
  { hosts, starting }: { readonly hosts: HostSessions; readonly starting: HostStartDeps },
): SessionStarts {
  const underWay = new Map<string, Promise<LiveHost>>();
  const start = (wish: NewSession): Promise<LiveHost> => startNew(deps, starting, wish);
  return {
    sessionOn: async (wish) => {
      const { accountId, connection, sessionId, requester } = wish;
      if (sessionId !== undefined) return namedSession(hosts, wish, sessionId);
      const connectionId = connection.id;
      const live = hosts
        .onConnection(accountId, connectionId)
        .find(({ threadId, master }) => threadId === undefined && master.state().status === 'live');
      if (live !== undefined) return live;
      const key = `${accountId}/${connectionId}`;
      const begin = (): Promise<LiveHost> =>
        start({ accountId, connectionId, requester, agent: noAgent });
      const begun = underWay.get(key) ?? begin().finally(() => underWay.delete(key));
      underWay.set(key, begun);
      return begun;
    },
    forAgent: start,
  };
}

async function startNew(
  { store, instance, openMaxOf, sessions: { news } }: StartsDeps,
  starting: HostStartDeps,
  { accountId, connectionId, requester, agent, threadId }: NewSession,
): Promise<LiveHost> {
  const { announce } = news;
  const openMax = openMaxOf(accountId, requester);
  const created = await store.forAccount(accountId).sessions.create({
    connectionId,
    agent,
    owner: instance.owner(),
    openMax,
    audit: { action: 'session.start', actor },
  });
  if (created.outcome === 'connection_not_found') throw notFound();
  if (created.outcome === 'session_limit_reached') throw tooManySessions(openMax);
  if (created.outcome !== 'created') throw new ApiError(created.outcome);
  const { session } = created;
  const pending = { accountId, session, connectionId, threadId, by: { actor } };
  try {
    const { host } = await startHostSession(starting, pending);
    const name = { accountId, id: session.id };
    announce({ type: 'started', session: name, agent: session.agent, traceId: undefined });
    return host;
  } catch (error) {
    if (isFailedStart(error)) announce({ type: 'start-failed' });
    throw error;
  }
}

/* The caller has named it: no other one takes its place. */
function namedSession(
  hosts: HostSessions,
  { accountId, connection }: SessionWish,
  sessionId: string,
): LiveHost {
  const host = hosts.get(sessionId);
  const isOn =
    host?.session.accountId === accountId &&
    host.connectionId === connection.id &&
    host.master.state().status === 'live';
  if (host !== undefined && isOn) return host;
  throw new ApiError('expired', `the session ${sessionId} is not open on ${connection.label}`, {
    hint: 'Start another one there, or leave the session out: the command then opens one by itself.',
  });
}
