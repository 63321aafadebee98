/*
 * Sessions over HTTP: start, look, close. A call that names one is a heartbeat of its client.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { NewsDesk, SessionRecord } from '@clawdfather/sessions';
import type { AccountId, Store } from '@clawdfather/store';
import type { SessionLimits } from '../accounts/session-bounds.ts';
import type { AgentThreads } from '../agents/open-threads.ts';
import {
  type AgentSessionDeps,
  type PendingAgentSession,
  startAgentSession,
} from '../agents/start-agent-session.ts';
import type { Hosts } from '../hosts/open-hosts.ts';
import { isFailedStart } from '../hosts/start-host-session.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { askerOf, auditOf, type Handlers } from '../http/handlers.ts';
import type { Runs } from '../runs/open-runs.ts';
import type { Instance } from '../sessions/instance.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { noAgent, showSession } from '../sessions/show-session.ts';
import { startSession } from '../sessions/start-session.ts';

export interface SessionsParts extends AgentSessionDeps {
  readonly store: Store;
  readonly runs: Pick<Runs, 'users'>;
  readonly agentThreads: Pick<AgentThreads, 'threads' | 'catalogue'>;
  readonly instance: Instance;
  readonly sessions: Sessions;
  readonly sessionNews: NewsDesk;
  readonly sessionLimits: Pick<SessionLimits, 'openMaxOf'>;
  readonly hosts: Pick<Hosts, 'activate' | 'binding'>;
}

function activate(parts: SessionsParts, pending: PendingAgentSession): Promise<SessionRecord> {
  const { accountId, session, actor } = pending;
  return session.agent === noAgent
    ? parts.hosts.activate(accountId, session, { actor })
    : startAgentSession(parts, pending);
}

export function createSessionsHandlers(parts: SessionsParts): Handlers<Api['sessions']> {
  const { store, instance, sessions, sessionNews, sessionLimits } = parts;
  const show = async (accountId: AccountId, session: SessionRecord) => {
    const { connectionId } = session;
    if (connectionId === undefined) return showSession(session, undefined);
    const connection = await store.forAccount(accountId).connections.get(connectionId);
    const binding = await parts.hosts.binding(accountId, session.id);
    return showSession(session, connection, binding?.prefix);
  };
  return {
    list: async ({ caller: { accountId }, query }) => {
      const { status, limit, offset } = query;
      const page = await store.forAccount(accountId).sessions.list({
        limit,
        offset,
        ...(status === undefined ? {} : { status }),
      });
      const items = await Promise.all(page.items.map((session) => show(accountId, session)));
      return { items, total: page.total, limit, offset };
    },
    create: async (call) => {
      const { accountId } = call.caller;
      const { connection_id: connectionId, agent } = call.body;
      const { actor } = askerOf(call);
      // A session without a connection is one on this machine, where a resend finds it too; so is every agent.
      if (connectionId === null || agent !== null) parts.runs.users.of(accountId);
      try {
        const { session, isRepeated } = await startSession(store.forAccount(accountId), {
          connectionId,
          agent,
          owner: instance.owner(),
          idempotencyKey: call.header('idempotency-key'),
          audit: auditOf(call, 'session.start'),
          checkAgent: (name) => void parts.agentThreads.catalogue.resolve(name),
          activate: (session) => activate(parts, { accountId, session, actor }),
          openMax: sessionLimits.openMaxOf(accountId, call.caller.kind === 'device'),
        });
        if (!isRepeated) {
          const { traceId } = call;
          const { id, agent: stored } = session;
          const name = { accountId, id };
          sessionNews.announce({ type: 'started', session: name, agent: stored, traceId });
        }
        return { session: await show(accountId, session) };
      } catch (error) {
        if (isFailedStart(error)) sessionNews.announce({ type: 'start-failed' });
        throw error;
      }
    },
    get: async ({ caller: { accountId }, params }) => {
      const session = await store.forAccount(accountId).sessions.get(params.id);
      if (session === undefined) throw notFound();
      if (session.endedAtMs === undefined) sessions.seen(accountId, session.id);
      return { session: await show(accountId, session) };
    },
    close: async (call) => {
      const { accountId } = call.caller;
      const name = { accountId, id: call.params.id };
      const session = await sessions.close(name, { reason: 'user', by: askerOf(call) });
      if (session === undefined) throw notFound();
      return { session: await show(accountId, session) };
    },
    closeAll: async (call) => {
      if (!call.caller.isOwner)
        throw new ApiError('forbidden', 'only for the owner of the machine');
      return { closed: await sessions.closeAll({ reason: 'server_closed', by: askerOf(call) }) };
    },
  };
}
