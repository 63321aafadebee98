/*
 * A call of every query that takes an id, for tests that go through all of them.
 */
import assert from 'node:assert/strict';
import { nextConnectionKeys as nextKeys } from '@clawdfather/ssh';
import type { AccountQueries } from '@clawdfather/store';
import { audit, owner, userCloses, type World } from '../world.ts';
import { busyThread, changeOf, delta, runIdOf } from './threads/thread-rows.ts';

/** Ids to call with: those of another account, or of nobody. */
export interface Ids {
  readonly keypairId: string;
  readonly connectionId: string;
  readonly sessionId: string;
  readonly deviceId: string;
  readonly loginCodeId: string;
  readonly tokenId: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly askId: string;
  readonly runId: string;
  readonly noticeId: string;
}

function mcpSessionOf({ tokenId }: Ids) {
  return { idHash: 'hash-m', tokenId };
}

/** The next change of the thread that `addMore` makes. */
function nextOf({ threadId }: Ids) {
  const thread = {
    id: threadId,
    version: 2,
    agent: 'fake',
    cwd: '/',
    title: 'stolen',
    status: 'ready',
    backend: 'acp',
    ownerId: 'stolen',
    ancestors: [],
    instanceId: 'gateway-a',
    lastSeq: 2,
    createdAtMs: 1,
    updatedAtMs: 1,
  } as const;
  const before = { thread, calls: new Map(), asks: new Map(), queue: [] };
  return [before, changeOf(before, { events: [delta(3)] })] as const;
}

/** Of a parent that is not ours; and with the id of a thread that is not. */
function childOf(parentId: string) {
  const made = { agent: 'fake', cwd: '/', title: 'stolen', instanceId: 'gateway-a' };
  return { ...made, id: parentId, parentId, depthMax: 9, activeMax: 9 };
}

export type Call = (queries: AccountQueries, ids: Ids) => Promise<unknown>;

export const noIds = 'takes no id of a row';
const newKey = { id: 'fresh', publicKey: 'p', privateEnc: 's', fingerprint: 'f' };
const usualClasses = { approval: true, question: true, done: true, failed: true, host_lost: true };

/** Of a browser at this address. */
export function subscription(address: string) {
  const endpoint = `https://push.test/${address}`;
  const keys = { keyId: 'key', p256dh: 'p', auth: 'a' };
  return { ...keys, endpoint, classes: {}, usualClasses, audit };
}

const fields = { label: 'other', host: 'h', port: 22, username: 'u' };

const newCode = { codeHash: 'code-2', linkHash: 'link-2', expiresAtMs: 9 };

export const calls: Readonly<Record<string, Call | typeof noIds>> = {
  'profile.get': noIds,
  'devices.list': noIds,
  'devices.create': noIds,
  'devices.replace': (q, { deviceId }) =>
    q.devices.replace({ id: deviceId, tokenHash: 'again', device: 'phone', audit }),
  'devices.rename': (q, { deviceId }) => q.devices.rename({ id: deviceId, device: 'mine', audit }),
  'devices.revoke': (q, { deviceId }) => q.devices.revoke({ id: deviceId, audit }),
  'devices.revokeOthers': noIds,
  'loginCodes.create': (q, { deviceId }) => q.loginCodes.create({ deviceId, ...newCode, audit }),
  'loginCodes.get': (q, { loginCodeId }) => q.loginCodes.get(loginCodeId),
  'loginCodes.change': (q, { loginCodeId: id }) =>
    q.loginCodes.change({ id, version: 1, to: { state: 'refused', expiresAtMs: 9 }, audit }),
  'artifacts.ofTurn': (q, { turnId }) => q.artifacts.ofTurn(turnId),
  'artifacts.syncOf': (q, { turnId }) => q.artifacts.syncOf(turnId),
  'artifacts.syncsOf': (q, { threadId }) => q.artifacts.syncsOf(threadId),
  'artifacts.before': (q, { threadId }) => q.artifacts.before(threadId, 'another'),
  'artifacts.bytesKept': noIds,
  'artifacts.isKept': noIds,
  'apiTokens.list': noIds,
  'apiTokens.create': noIds,
  'apiTokens.revoke': (q, { tokenId }) => q.apiTokens.revoke({ id: tokenId, audit }),
  'keypairs.list': noIds,
  'keypairs.get': (q, { keypairId }) => q.keypairs.get(keypairId),
  'keypairs.sealedOf': (q, { keypairId }) => q.keypairs.sealedOf(keypairId),
  'keypairs.create': noIds,
  'keypairs.rotate': (q, { keypairId }) =>
    q.keypairs.rotate({ id: keypairId, key: newKey, nextKeys, audit }),
  'keypairs.revoke': (q, { keypairId }) =>
    q.keypairs.revoke({ id: keypairId, isForced: false, nextKeys, audit }),
  'keypairs.rewrap': (q, { keypairId }) =>
    q.keypairs.rewrap({ id: keypairId, from: 'sealed-bob', to: 'stolen' }),
  'connections.list': noIds,
  'connections.get': (q, { connectionId }) => q.connections.get(connectionId),
  'connections.create': (q, { keypairId }) =>
    q.connections.create({ fields: { ...fields, keypairId }, audit }),
  'connections.update': (q, { connectionId, keypairId }) =>
    q.connections.update({ id: connectionId, fields: { keypairId }, nextKeys, audit }),
  'connections.recordTest': (q, { connectionId }) =>
    q.connections.recordTest({ id: connectionId, result: 'ok', audit }),
  'connections.setPolicy': (q, { connectionId }) =>
    q.connections.setPolicy({ id: connectionId, policy: 'full', audit }),
  'connections.remove': (q, { connectionId }) => q.connections.remove({ id: connectionId, audit }),
  'sessions.list': noIds,
  'sessions.get': (q, { sessionId }) => q.sessions.get(sessionId),
  'sessions.create': (q, { connectionId }) =>
    q.sessions.create({ connectionId, agent: 'claude', owner, openMax: 9, audit }),
  'sessions.change': (q, { sessionId }) => q.sessions.change(sessionId, userCloses),
  'sessions.clientSeen': (q, { sessionId }) => q.sessions.clientSeen(sessionId),
  'mcpSessions.create': noIds,
  'mcpSessions.find': (q, ids) => q.mcpSessions.find(mcpSessionOf(ids)),
  'mcpSessions.use': (q, ids) => q.mcpSessions.use(mcpSessionOf(ids), { follows: ['stolen'] }),
  'mcpSessions.end': (q, ids) => q.mcpSessions.end(mcpSessionOf(ids)),
  'threads.create': noIds,
  'threads.load': (q, { threadId }) => q.threads.load(threadId),
  'threads.commit': (q, ids) => q.threads.commit(...nextOf(ids)),
  'threads.get': (q, { threadId }) => q.threads.get(threadId),
  'threads.list': (q, { threadId }) => q.threads.list({ idPrefix: threadId }),
  'threads.archive': (q, { threadId }) => q.threads.archive(threadId),
  'threads.unarchive': (q, { threadId }) => q.threads.unarchive(threadId),
  'threads.edit': (q, { threadId }) =>
    q.threads.edit(threadId, { title: 'stolen', isPinned: true }),
  'threads.offered': (q, { connectionId }) => q.threads.offered('fake', connectionId),
  'threads.events': (q, { threadId }) => q.threads.events(threadId, { after: 0, limit: 9 }),
  'threads.deltas': (q, { threadId, turnId }) =>
    q.threads.deltas({ threadId, id: turnId }, { after: 0, limit: 9 }),
  'threads.turns': (q, { threadId }) => q.threads.turns(threadId),
  'threads.turn': (q, { turnId }) => q.threads.turn(turnId),
  'threads.turnOfMessage': (q, { threadId }) => q.threads.turnOfMessage(threadId, 'message-turn-m'),
  'threads.newestTurns': (q, { threadId }) => q.threads.newestTurns({ threadId, limit: 9 }),
  'threads.turnOfRun': (q, { runId }) => q.threads.turnOfRun(runIdOf(runId)),
  'threads.ask': (q, { askId }) => q.threads.ask(askId),
  'threads.openAsks': noIds,
  'threads.openPrompts': noIds,
  'threads.lastAsks': noIds,
  'threads.frames': (q, { runId }) => q.threads.frames(runIdOf(runId), 0),
  'threads.trimFrames': (q, { runId }) => q.threads.trimFrames(runIdOf(runId), 1_000),
  'threads.endedRuns': (q, { threadId }) => q.threads.endedRuns(threadId),
  'events.head': noIds,
  'events.list': noIds,
  'seen.mark': (q, { threadId }) => q.seen.mark(threadId, 1),
  'notices.list': noIds,
  'notices.get': (q, { noticeId }) => q.notices.get(noticeId),
  'notices.see': (q, { noticeId }) => q.notices.see(noticeId),
  'notices.tell': noIds,
  'inbox.look': noIds,
  'agentSessions.spawn': (q, { threadId }) => q.agentSessions.spawn(childOf(threadId)),
  'agentSessions.putKey': (q, { runId }) => q.agentSessions.putKey(runIdOf(runId), 'stolen'),
  'history.before': (q, { threadId }) => q.history.before(threadId, { before: 9, limit: 9 }),
  'history.sizes': (q, { threadId }) => q.history.sizes(threadId, { after: 0, limit: 9 }),
  'history.tools': (q, { threadId, turnId }) =>
    q.history.tools(threadId, { turnId, after: 0, limit: 9, bytesMax: 9 }),
  'history.lastTools': (q, { threadId, turnId }) =>
    q.history.lastTools(threadId, { turnId, limit: 9 }),
  'history.eventText': (q, { threadId }) =>
    q.history.eventText(threadId, { seq: 1, offset: 0, limit: 9 }),
  'push.list': noIds,
  'push.get': (q, { deviceId }) => q.push.get(deviceId),
  'push.put': (q, { deviceId }) => q.push.put({ ...subscription('stolen'), deviceId }),
  'push.choose': (q, { deviceId }) => q.push.choose({ deviceId, classes: { done: false }, audit }),
  'push.remove': (q, { deviceId }) => q.push.remove({ deviceId, audit }),
  'presence.report': (q, { deviceId }) => q.presence.report({ deviceId, isVisible: true }),
  'settings.get': noIds,
  'settings.update': noIds,
  'auditLog.list': noIds,
  'auditLog.record': noIds,
};

export const nobody: Ids = {
  keypairId: 'none1',
  connectionId: 'none2',
  sessionId: 'none3',
  deviceId: 'none4',
  loginCodeId: 'none11',
  tokenId: 'none5',
  threadId: 'none6',
  turnId: 'none7',
  askId: 'none8',
  runId: 'none9',
  noticeId: 'none10',
};

export async function addMore({ account }: World) {
  const device = await account.devices.create({ tokenHash: 'hash-d', device: 'phone', audit });
  await account.push.put({ ...subscription('mine'), deviceId: device.id });
  const loginCode = await account.loginCodes.create({
    deviceId: device.id,
    codeHash: 'code-1',
    linkHash: 'link-1',
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    audit,
  });
  await account.presence.report({ deviceId: device.id, isVisible: true });
  const token = await account.apiTokens.create({
    tokenHash: 'hash-t',
    label: 'ci',
    scopes: ['read'],
    audit,
  });
  assert.equal(token.outcome, 'created');
  await account.mcpSessions.create({
    idHash: 'hash-m',
    tokenId: token.token.id,
    protocolVersion: '2025-11-25',
    clientName: 'agent',
    clientVersion: '1',
  });
  await account.settings.update({ settings: { idleTimeoutMs: 600_000 }, audit });
  const { thread } = await busyThread(account.threads, 'm');
  const threadIds = { threadId: thread.id, turnId: 'turn-m', askId: 'ask-m', runId: 'run-m' };
  const [notice] = (await account.notices.list()).items;
  const noticeId = notice?.id ?? assert.fail('its ask is noticed');
  const loginCodeId = loginCode?.id ?? assert.fail('the device is there');
  return { deviceId: device.id, loginCodeId, tokenId: token.token.id, ...threadIds, noticeId };
}
