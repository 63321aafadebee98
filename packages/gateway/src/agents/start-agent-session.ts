/*
 * A session that is started with an agent: from pending to active when the agent's process runs, or to failed with nothing left behind. On a
 * host the connection comes first; the agent then runs here and works there (agent-context.ts).
 *
 * The session has the key of the agent's session, which is its thread: whatever is said to the agent is said there.
 */
import type { AccountId, Clock } from '@clawdfather/kit';
import { changeSession, type NewsDesk, type SessionRecord } from '@clawdfather/sessions';
import type { Store } from '@clawdfather/store';
import type { GatewayConfig } from '../gateway-config.ts';
import type { Hosts } from '../hosts/open-hosts.ts';
import { refusalOf, startMsMax } from '../hosts/start-host-session.ts';
import { ApiError } from '../http/api-error.ts';
import { runErrorCode } from '../http/run-errors.ts';
import type { Runs } from '../runs/open-runs.ts';
import type { AgentThreads } from './open-threads.ts';
import { usualDirectory } from './usual-directory.ts';

export interface AgentSessionDeps {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly clock: Clock;
  readonly runs: Pick<Runs, 'users'>;
  readonly hosts: Pick<Hosts, 'activate'>;
  readonly agentThreads: Pick<AgentThreads, 'threads' | 'catalogue'>;
  readonly sessionNews: NewsDesk;
}

export interface PendingAgentSession {
  readonly accountId: AccountId;
  readonly session: SessionRecord;
  readonly actor: string;
}

/* Throws `agent_spawn_failed`, and what the start of a connection throws. */
export async function startAgentSession(
  deps: AgentSessionDeps,
  pending: PendingAgentSession,
): Promise<SessionRecord> {
  const { accountId, session, actor } = pending;
  const startAgent = (signal: AbortSignal): Promise<string> => spawnAgent(deps, pending, signal);
  if (session.connectionId !== undefined) {
    return deps.hosts.activate(accountId, session, { actor, startAgent });
  }
  const { id, epoch } = session;
  const name = { accountId, id };
  const { store, sessionNews: news } = deps;
  const records = { recordsOf: (of: AccountId) => store.forAccount(of).sessions, news };
  const limit = new AbortController();
  const timer = deps.clock.timer(startMsMax, () => limit.abort());
  try {
    const agentSessionId = await startAgent(limit.signal);
    const event = { type: 'activated', epoch, agentSessionId } as const;
    const active = await changeSession(records, name, { event, by: { actor } });
    if (active.outcome === 'changed') return active.session;
    await endAgent(deps, pending, agentSessionId);
    throw new ApiError('expired', 'the session was closed before it had started');
  } catch (error) {
    const { code, message } = refusalOf(error);
    const event = { type: 'failed', epoch, code, message } as const;
    await changeSession(records, name, { event, by: { actor } });
    throw error;
  } finally {
    timer.cancel();
  }
}

/* The key of the agent's session. */
async function spawnAgent(
  deps: AgentSessionDeps,
  pending: PendingAgentSession,
  signal: AbortSignal,
): Promise<string> {
  const { accountId, session } = pending;
  const { threads } = deps.agentThreads;
  const { id: sessionId, agent, connectionId: viaConnectionId } = session;
  const { catalogue } = deps.agentThreads;
  const cwd = usualDirectory(deps, accountId, catalogue.resolve(agent).cwd);
  const place = { cwd, sessionId, viaConnectionId };
  const { actor } = pending;
  const thread = await threads.create(accountId, { agent, title: '', ...place }, { actor });
  try {
    await untilAborted(threads.agents.ensureSession({ accountId, id: thread.id }), signal);
    return thread.id;
  } catch (error) {
    await endAgent(deps, pending, thread.id);
    throw spawnFailed(error);
  }
}

/* Nobody has said anything in it yet, so the thread is put away with its agent. */
async function endAgent(
  { store, agentThreads }: AgentSessionDeps,
  { accountId, actor }: PendingAgentSession,
  id: string,
): Promise<void> {
  await store.forAccount(accountId).threads.archive(id);
  const close = { reason: 'start-failed', actor };
  await agentThreads.threads.agents.closeSession({ accountId, id }, close);
}

/* What was refused for a reason of its own keeps it. */
function spawnFailed(error: unknown): unknown {
  const code = error instanceof ApiError ? error.code : runErrorCode(error);
  if (code === 'forbidden' || code === 'unsupported' || code === 'expired') return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError('agent_spawn_failed', message);
}

async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(new ApiError('agent_spawn_failed', 'it did not start in time'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, late]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
