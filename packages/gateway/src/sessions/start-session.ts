/*
 * The start of a session.
 *
 * Without a connection and an agent there is nothing to wait for: the lease is recorded and active in one transaction. With one of
 * them the intent is recorded pending, and carried out after it (start-host-session.ts, start-agent-session.ts).
 *
 * With a key, the transaction also holds the key (once.ts in store): a resend finds the session that it has started.
 * A refusal is no effect and is not kept: the same request may succeed later.
 */
import { decideOn, type Owner, type SessionRecord } from '@clawdfather/sessions';
import type { AccountQueries, AccountStore, AuditEntry } from '@clawdfather/store';
import { tooManySessions } from '../accounts/session-bounds.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { hashRequest, parseIdempotencyKey } from '../http/idempotency-key.ts';
import { noAgent } from './show-session.ts';

export interface SessionStart {
  readonly connectionId: string | null;
  readonly agent: string | null;
  readonly owner: Owner;
  /* Of the request, if it has one. */
  readonly idempotencyKey: string | undefined;
  readonly audit: AuditEntry;
  /* Throws why there can be no such agent: inside the transaction, so that it leaves no row behind. */
  readonly checkAgent: (name: string) => void;
  /* Makes a pending session active, on its host and with its agent, or throws. */
  readonly activate: (session: SessionRecord) => Promise<SessionRecord>;
  readonly openMax: number;
}

export interface StartedSession {
  readonly session: SessionRecord;
  readonly isRepeated: boolean;
}

export async function startSession(
  mine: AccountStore,
  start: SessionStart,
): Promise<StartedSession> {
  const key = parseIdempotencyKey(start.idempotencyKey);
  if (key === undefined) {
    const session = await mine.transaction((queries) => create(queries, start));
    return { session: await carryOut(start, session), isRepeated: false };
  }
  const done = await mine.once({
    key,
    requestHash: hashOf(start),
    work: async (queries) => ({ id: (await create(queries, start)).id }),
  });
  if (done.outcome === 'key_reused') throw new ApiError('key_reused');
  const session = await mine.sessions.get(done.result.id);
  if (session === undefined) throw notFound();
  // A resend does not connect a second time: it sees how far the first request has come.
  if (done.outcome === 'repeated') return { session, isRepeated: true };
  return { session: await carryOut(start, session), isRepeated: false };
}

async function carryOut(start: SessionStart, session: SessionRecord): Promise<SessionRecord> {
  return session.status === 'pending' ? start.activate(session) : session;
}

async function create({ sessions }: AccountQueries, start: SessionStart): Promise<SessionRecord> {
  const { connectionId, agent, owner, audit, openMax } = start;
  const created = await sessions.create({
    ...(connectionId === null ? {} : { connectionId }),
    agent: agent ?? noAgent,
    owner,
    openMax,
    audit,
  });
  if (created.outcome === 'connection_not_found') throw notFound();
  if (created.outcome === 'session_limit_reached') throw tooManySessions(openMax);
  if (created.outcome !== 'created') throw new ApiError(created.outcome);
  if (agent !== null) start.checkAgent(agent);
  if (connectionId !== null || agent !== null) return created.session;
  const { id, epoch } = created.session;
  const active = await sessions.change(id, decideOn({ type: 'activated', epoch }, audit));
  if (active.outcome !== 'changed') throw new TypeError(`a new session is ${active.outcome}`);
  return active.session;
}

/* Two requests with one key are told apart by it; the endpoint is part of the request. */
function hashOf({ connectionId, agent }: SessionStart): string {
  return hashRequest(['POST /api/v1/sessions', connectionId, agent]);
}
