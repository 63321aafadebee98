/*
 * A session over sockets that do what they are told: every event once, whatever breaks; and what people are told meanwhile. Against a
 * real gateway: packages/gateway/test/socket/sdk-session.test.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefusedError } from '../../src/errors.ts';
import { eventOf, openFakeSession } from './fake-session.ts';

const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

test('it says where it was, drops what comes twice, and reads a hole over HTTP', async () => {
  const rig = openFakeSession({ after: 0 });
  assert.equal(rig.socket().url, 'wss://gateway.example:8420/ws/sessions/s1');
  rig.letIn();
  assert.deepEqual(rig.socket().sent, [{ type: 'auth', resume_from: 0 }]);
  rig.happen(3);
  rig.socket().say({ type: 'event', seq: 2, event: eventOf(2) });
  rig.happen(4, { isSent: false });
  rig.happen(2);
  await rig.clock.advance(0);
  assert.deepEqual(rig.seqs(), upTo(9));
  assert.deepEqual(rig.kinds(), ['reconnecting', 'live']);
  rig.line.close();
  await rig.ended;
  assert.equal(rig.clock.pendingTimers, 0);
});

test('without a number only what comes from now on is wanted', async () => {
  const rig = openFakeSession();
  rig.gateway.lastSeq = 40;
  rig.letIn();
  assert.deepEqual(rig.socket().sent, [{ type: 'auth' }]);
  rig.happen(2);
  await rig.clock.advance(0);
  assert.deepEqual(rig.seqs(), [41, 42]);
  rig.line.close();
});

test('lost connections: 1, 2, 4, 8, 16, 30 s; the session is asked after first; a minute later people are told', async () => {
  const rig = openFakeSession({ after: 0 });
  rig.letIn();
  rig.happen(2);
  rig.socket().lost(1000);
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const before = rig.sockets.length;
    await rig.clock.advance(waitMs - 1);
    assert.equal(rig.sockets.length, before);
    await rig.clock.advance(1);
    assert.equal(rig.sockets.length, before + 1, `after ${waitMs}`);
    assert.equal(rig.gateway.asked.at(-1), '/api/v1/sessions/s1');
    rig.socket().lost();
  }
  const unable = rig.statuses.filter((one) => one.kind === 'reconnecting' && one.isUnable);
  assert.notEqual(unable.length, 0);
  rig.line.retryNow();
  await rig.clock.advance(0);
  rig.happen(3, { isSent: false });
  rig.letIn();
  assert.deepEqual(rig.socket().sent, [{ type: 'auth', resume_from: 2 }]);
  assert.deepEqual(rig.line.status, { kind: 'live' });
  rig.line.close();
});

test('the minute is told while an attempt is still waited for', async () => {
  const rig = openFakeSession({ after: 0 });
  rig.letIn();
  rig.gateway.session = 'away';
  rig.socket().lost();
  await rig.clock.advance(59_999);
  assert.ok(rig.statuses.every((one) => one.kind !== 'reconnecting' || !one.isUnable));
  await rig.clock.advance(1);
  const told = rig.statuses.at(-1);
  assert.ok(told?.kind === 'reconnecting' && told.isUnable);
  rig.line.online(false);
  assert.deepEqual(rig.statuses.at(-1), { kind: 'offline' });
  rig.gateway.session = 'active';
  rig.line.online(true);
  await rig.clock.advance(0);
  rig.letIn();
  assert.deepEqual(rig.statuses.at(-1), { kind: 'live' });
  rig.line.close();
});

test('an open socket is not trusted after a nap, or when it was silent for two heartbeats', async () => {
  const rig = openFakeSession({ after: 0 });
  rig.letIn();
  rig.line.wake(9_000);
  await rig.clock.advance(0);
  assert.equal(rig.sockets.length, 1, 'a short look elsewhere costs nothing');
  rig.line.wake(11_000);
  await rig.clock.advance(0);
  assert.equal(rig.sockets.length, 2);
  assert.deepEqual(rig.sockets[0]?.calls, ['close 1000']);
  rig.letIn();
  await rig.clock.advance(60_001);
  rig.line.wake();
  await rig.clock.advance(0);
  assert.equal(rig.sockets.length, 3);
  rig.line.wake(11_000);
  await rig.clock.advance(0);
  assert.equal(rig.sockets.length, 4, 'one that is still connecting is replaced too');
  rig.letIn();
  rig.happen(1);
  await rig.clock.advance(0);
  assert.deepEqual(rig.seqs(), [1]);
  rig.line.close();
});

test('a socket that does not open has 15 s, one that is silent 90', async () => {
  const rig = openFakeSession({ after: 0 });
  await rig.clock.advance(15_000);
  assert.equal(rig.line.status.kind, 'reconnecting');
  await rig.clock.advance(1_000);
  assert.equal(rig.sockets.length, 2);
  rig.letIn();
  await rig.clock.advance(89_999);
  assert.deepEqual(rig.line.status, { kind: 'live' });
  assert.equal(
    rig
      .socket()
      .typesSent()
      .filter((type) => type === 'heartbeat').length,
    2,
  );
  await rig.clock.advance(1);
  assert.equal(rig.kinds().at(-1), 'reconnecting');
  rig.line.close();
});

test('a restart is told apart from a network that is gone, until all is caught up', async () => {
  const rig = openFakeSession({ after: 0 });
  rig.letIn();
  rig.happen(1);
  rig.socket().lost();
  rig.gateway.generation = 2;
  rig.gateway.lastSeq = 3;
  await rig.clock.advance(1_000);
  rig.letIn();
  assert.deepEqual(rig.statuses.at(-1), { kind: 'gateway-restarted' });
  for (const seq of [2, 3]) rig.socket().say({ type: 'event', seq, event: eventOf(seq) });
  assert.deepEqual(rig.statuses.at(-1), { kind: 'live' });
  await rig.clock.advance(0);
  assert.deepEqual(rig.seqs(), upTo(3));
  const restart = rig.happenings.find(({ kind }) => kind === 'restarted');
  assert.ok(restart?.kind === 'restarted' && restart.generationBefore === 1);
  rig.line.close();
});

test('a session that ended meanwhile is expired, with the rest of its events; so is one that nobody knows', async () => {
  const rig = openFakeSession({ after: 0 });
  rig.letIn();
  rig.happen(1);
  rig.socket().lost();
  rig.gateway.session = 'closed';
  await rig.clock.advance(1_000);
  await rig.ended;
  assert.deepEqual(rig.happenings.at(-1), {
    kind: 'closed',
    reason: 'user',
    message: 'the session is closed',
  });
  assert.deepEqual(rig.statuses.at(-1), { kind: 'expired' });

  const unknown = openFakeSession({ after: 0 });
  unknown.gateway.session = 'unknown';
  unknown.letIn();
  unknown.socket().lost();
  const refused = assert.rejects(unknown.ended, RefusedError);
  await unknown.clock.advance(1_000);
  await refused;
  assert.deepEqual(unknown.statuses.at(-1), { kind: 'expired' });
});

test('only a real 401 signs out', async () => {
  const rig = openFakeSession({ after: 0 });
  rig.gateway.session = 'signed-out';
  rig.letIn();
  rig.socket().lost();
  const refused = assert.rejects(rig.ended, RefusedError);
  await rig.clock.advance(1_000);
  await refused;
  assert.deepEqual(rig.statuses.at(-1), { kind: 'signed-out' });
  assert.equal(rig.clock.pendingTimers, 0);
});

test('a gateway with an older state begins the numbers anew, and says so', async () => {
  const rig = openFakeSession({ after: 7 });
  rig.gateway.lastSeq = 2;
  rig.letIn();
  await rig.clock.advance(0);
  assert.equal(rig.sockets.length, 2);
  rig.letIn();
  assert.deepEqual(rig.socket().sent, [{ type: 'auth', resume_from: 0 }]);
  for (const seq of [1, 2]) rig.socket().say({ type: 'event', seq, event: eventOf(seq) });
  await rig.clock.advance(0);
  assert.equal(rig.happenings[0]?.kind, 'reset');
  assert.deepEqual(rig.seqs(), [1, 2]);
  rig.line.close();
});

test('events that are no longer kept are a gap with its numbers', async () => {
  const rig = openFakeSession({ after: 0 });
  rig.letIn();
  rig.socket().say({ type: 'gap', from: 1, to: 4 });
  rig.gateway.lastSeq = 4;
  rig.happen(1);
  await rig.clock.advance(0);
  assert.deepEqual(rig.happenings, [
    { kind: 'gap', from: 1, to: 4 },
    { kind: 'event', event: eventOf(5) },
  ]);
  rig.line.close();
});
