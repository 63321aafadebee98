/*
 * Messages of a socket: each in the trace that its `traceparent` names; open sockets are counted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsk, jsonOf } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { TestSocket } from '../socket/fixtures.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

test('a message belongs to the trace that the client names; its socket is counted', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const tokenBody = { label: 'agent', scopes: ['read', 'run'] };
  const { token } = (await ask('POST', 'auth/tokens', { body: tokenBody })).body;
  const held = await ask('POST', 'runs', { token, body: { argv: ['/bin/sh', '-c', 'true'] } });
  const { approvalId } = held.body;
  const { session } = (await ask('POST', 'sessions', { body: {} })).body;
  await using socket = await new TestSocket(`${rig.url}/ws/sessions/${session.id}`).opened();
  await socket.send({ type: 'auth', token: rig.owner.token }).next('session');
  const health = await jsonOf(fetch(new URL('/health', rig.url)));
  assert.deepEqual([health.connected_websockets, health.active_sessions], [1, 1]);

  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const deny = { type: 'approve', approval_id: approvalId, decision: 'deny', traceparent };
  assert.equal((await socket.send(deny).next('approved')).state, 'denied');
  const { entries } = (await ask('GET', 'audit?action=approval.decide')).body;
  assert.deepEqual(
    entries.map(({ trace_id: id }: { readonly trace_id: string }) => id),
    [traceId],
  );
});
