/*
 * A call of every query that takes an id, for tests that go through all of them.
 */
import assert from 'node:assert/strict';
import type { AccountQueries } from '@clawdfather/store';
import { audit, owner, type World } from '../world.ts';

/** Ids to call with: those of another account, or of nobody. */
export interface Ids {
  readonly keypairId: string;
  readonly connectionId: string;
  readonly sessionId: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly deviceId: string;
  readonly tokenId: string;
  readonly pushId: string;
}

export type Call = (queries: AccountQueries, ids: Ids) => Promise<unknown>;

export const noIds = 'takes no id of a row';
const newKey = { id: 'fresh', publicKey: 'p', privateEnc: 's', fingerprint: 'f' };
const fields = { label: 'other', host: 'h', port: 22, username: 'u' };

export const calls: Readonly<Record<string, Call | typeof noIds>> = {
  'profile.get': noIds,
  'profile.identities': noIds,
  'profile.rename': noIds,
  'devices.list': noIds,
  'devices.create': noIds,
  'devices.revoke': (q, { deviceId }) => q.devices.revoke({ id: deviceId, audit }),
  'devices.revokeOthers': noIds,
  'apiTokens.list': noIds,
  'apiTokens.create': noIds,
  'apiTokens.revoke': (q, { tokenId }) => q.apiTokens.revoke({ id: tokenId, audit }),
  'keypairs.list': noIds,
  'keypairs.get': (q, { keypairId }) => q.keypairs.get(keypairId),
  'keypairs.sealedOf': (q, { keypairId }) => q.keypairs.sealedOf(keypairId),
  'keypairs.create': noIds,
  'keypairs.rotate': (q, { keypairId }) => q.keypairs.rotate({ id: keypairId, key: newKey, audit }),
  'keypairs.revoke': (q, { keypairId }) =>
    q.keypairs.revoke({ id: keypairId, isForced: false, audit }),
  'keypairs.rewrap': (q, { keypairId }) =>
    q.keypairs.rewrap({ id: keypairId, from: 'sealed-bob', to: 'stolen' }),
  'connections.list': noIds,
  'connections.get': (q, { connectionId }) => q.connections.get(connectionId),
  'connections.create': (q, { keypairId }) =>
    q.connections.create({ fields: { ...fields, keypairId }, audit }),
  'connections.update': (q, { connectionId, keypairId }) =>
    q.connections.update({ id: connectionId, fields: { keypairId }, audit }),
  'connections.recordTest': (q, { connectionId }) =>
    q.connections.recordTest({ id: connectionId, result: 'ok', audit }),
  'connections.remove': (q, { connectionId }) => q.connections.remove({ id: connectionId, audit }),
  'sessions.list': noIds,
  'sessions.get': (q, { sessionId }) => q.sessions.get(sessionId),
  'sessions.create': (q, { connectionId }) =>
    q.sessions.create({ connectionId, agent: 'claude', owner, openMax: 9, audit }),
  'sessions.activate': (q, { sessionId }) =>
    q.sessions.activate({ id: sessionId, epoch: 1, audit }),
  'sessions.fail': (q, { sessionId }) =>
    q.sessions.fail({ id: sessionId, epoch: 1, errorCode: 'e', errorMessage: 'm', audit }),
  'sessions.close': (q, { sessionId }) =>
    q.sessions.close({ id: sessionId, epoch: 1, reason: 'user', audit }),
  'sessions.take': (q, { sessionId }) =>
    q.sessions.take({ id: sessionId, by: { ...owner, generation: 9 }, audit }),
  'sessions.clientSeen': (q, { sessionId }) => q.sessions.clientSeen(sessionId),
  'threads.list': (q, { sessionId }) => q.threads.list({ sessionId }),
  'threads.get': (q, { threadId }) => q.threads.get(threadId),
  'threads.create': (q, { sessionId }) => q.threads.create({ sessionId, title: 't', audit }),
  'threads.move': (q, { threadId, sessionId }) =>
    q.threads.move({ id: threadId, sessionId, audit }),
  'threads.archive': (q, { threadId }) => q.threads.archive({ id: threadId, audit }),
  'turns.list': (q, { threadId }) => q.turns.list({ threadId }),
  'turns.get': (q, { turnId }) => q.turns.get(turnId),
  'turns.enqueue': (q, { threadId }) =>
    q.turns.enqueue({
      turn: {
        threadId,
        agent: 'a',
        loadClass: 'long_task',
        prompt: 'p',
        clientMessageId: 'message-bob',
      },
      audit,
    }),
  'turns.start': (q, { turnId }) => q.turns.start({ id: turnId, epoch: 1, deadlineAtMs: 1, audit }),
  'turns.progress': (q, { turnId }) =>
    q.turns.progress({ id: turnId, epoch: 1, progress: { stage: 'x' } }),
  'turns.finish': (q, { turnId }) =>
    q.turns.finish({
      id: turnId,
      epoch: 1,
      status: 'failed',
      resultCode: 'error',
      result: {},
      audit,
    }),
  'events.append': (q, { threadId }) =>
    q.events.append({
      threadId,
      epoch: 1,
      events: [{ type: 'delta', payload: 'x' }],
      cursor: { source: 'run', from: 'c1', to: 'c2' },
    }),
  'events.read': (q, { threadId }) => q.events.read({ threadId, afterSeq: 0 }),
  'events.cursor': (q, { threadId }) => q.events.cursor({ threadId, source: 'run' }),
  'pushSubscriptions.list': noIds,
  'pushSubscriptions.save': noIds,
  'pushSubscriptions.remove': (q, { pushId }) => q.pushSubscriptions.remove({ id: pushId, audit }),
  'pushSubscriptions.markFailed': (q, { pushId }) => q.pushSubscriptions.markFailed(pushId),
  'settings.get': noIds,
  'settings.update': noIds,
  'auditLog.list': noIds,
  'auditLog.range': noIds,
  'auditLog.record': noIds,
};

/* Threads may be named by clients: the same name in two accounts is two threads. */
export const nobody: Ids = {
  keypairId: 'none1',
  connectionId: 'none2',
  sessionId: 'none3',
  threadId: 'none4',
  turnId: 'none5',
  deviceId: 'none6',
  tokenId: 'none7',
  pushId: 'none8',
};

export async function addMore({ account, threadId }: World) {
  const device = await account.devices.create({ tokenHash: 'hash-d', device: 'phone', audit });
  const token = await account.apiTokens.create({
    tokenHash: 'hash-t',
    label: 'ci',
    scopes: ['read'],
    audit,
  });
  assert.equal(token.outcome, 'created');
  const push = await account.pushSubscriptions.save({
    endpoint: 'https://push.test/1',
    p256dh: 'p',
    auth: 'a',
    device: 'phone',
    audit,
  });
  await account.settings.update({ settings: { idleTimeoutMs: 600_000 }, audit });
  await account.turns.enqueue({
    turn: {
      threadId,
      agent: 'a',
      loadClass: 'long_task',
      prompt: 'p',
      clientMessageId: 'message-bob',
    },
    audit,
  });
  await account.events.append({
    threadId,
    epoch: 1,
    events: [{ type: 'delta', payload: { text: 'secret' } }],
    cursor: { source: 'run', to: 'c1' },
  });
  return { deviceId: device.id, tokenId: token.token.id, pushId: push.id };
}
