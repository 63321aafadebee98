/*
 * From a pending session to an active one on its host, or to a failed one: within 30 s, and with nothing left behind whichever step
 * fails. The session's row is there before (pending), so a gateway that dies in between leaves a session that the next one ends.
 */
import type { AccountId, Clock } from '@clawdfather/kit';
import { changeSession, type SessionDeps, type SessionRecord } from '@clawdfather/sessions';
import { connectSeconds, masterCauses, type MasterEnd } from '@clawdfather/ssh';
import { ApiError } from '../http/api-error.ts';
import type { HostCommands } from './host-commands.ts';
import type { HostSessions, LiveHost } from './host-sessions.ts';
import { type HostTargetDeps, targetOf } from './host-target.ts';

export interface HostStartDeps extends HostTargetDeps {
  readonly clock: Clock;
  readonly sessions: Pick<SessionDeps, 'recordsOf' | 'news'>;
  readonly hosts: HostSessions;
  readonly commands: HostCommands;
}

export interface PendingOnHost {
  readonly accountId: AccountId;
  readonly session: SessionRecord;
  readonly connectionId: string;
  readonly threadId?: string | undefined;
  readonly by: { readonly actor: string };
  /* What has to be there, too, before it is active: its agent. The key of the agent's session is the answer. */
  readonly startAgent?: ((signal: AbortSignal) => Promise<string>) | undefined;
}

/* Of a whole start, its look-ups included. */
export const startMsMax = 30_000;

/* Throws `ssh_connect_failed`, `host_not_allowed`, `keypair_revoked`, `expired`. */
export async function startHostSession(
  deps: HostStartDeps,
  pending: PendingOnHost,
): Promise<{ readonly host: LiveHost; readonly session: SessionRecord }> {
  const { accountId, by } = pending;
  const { id, epoch } = pending.session;
  const name = { accountId, id };
  const limit = new AbortController();
  const timer = deps.clock.timer(startMsMax, () => limit.abort());
  try {
    const host = await connect(deps, pending, limit.signal);
    const agentSessionId = await pending.startAgent?.(limit.signal);
    const event = { type: 'activated', epoch, agentSessionId } as const;
    const active = await changeSession(deps.sessions, name, { event, by });
    if (active.outcome === 'changed') {
      // What earlier connections could not confirm. Commands do not wait for it.
      void deps.commands.sweep(host);
      return { host, session: active.session };
    }
    await deps.hosts.end(id, 'closed');
    throw new ApiError('expired', 'the session was closed before it had started');
  } catch (error) {
    const { code, message } = refusalOf(error);
    const event = { type: 'failed', epoch, code, message } as const;
    await changeSession(deps.sessions, name, { event, by });
    throw error;
  } finally {
    timer.cancel();
  }
}

async function connect(
  deps: HostStartDeps,
  { accountId, connectionId, session, threadId }: PendingOnHost,
  signal: AbortSignal,
): Promise<LiveHost> {
  const connection = await deps.store.forAccount(accountId).connections.get(connectionId);
  const target = connection && (await targetOf(deps, accountId, connection));
  if (target === undefined) throw new ApiError('keypair_revoked');
  const options = { connectSeconds: connectSeconds.start, signal };
  const name = { accountId, id: session.id, threadId };
  const started = await deps.hosts.start(name, target, options);
  if ('master' in started) return started;
  throw connectFailed(started, signal.aborted);
}

export function connectFailed({ cause }: Pick<MasterEnd, 'cause'>, isLate = false): ApiError {
  if (cause === 'address-forbidden') return hostNotAllowed();
  const known = isLate && cause === 'closed' ? 'timeout' : cause;
  const { sentence, hint } = masterCauses[known];
  return new ApiError('ssh_connect_failed', sentence, { detail: { cause: known }, hint });
}

/* For the counters: what was refused for a good reason was no attempt. */
export function isFailedStart(error: unknown): boolean {
  const failures: readonly string[] = ['ssh_connect_failed', 'agent_spawn_failed'];
  return !(error instanceof ApiError) || failures.includes(error.code);
}

export function hostNotAllowed(): ApiError {
  const { sentence, hint } = masterCauses['address-forbidden'];
  return new ApiError('host_not_allowed', sentence, { hint });
}

export function refusalOf(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  return { code: 'runtime', message: 'the start failed; the log of the gateway says why' };
}
