/*
 * Messages of a socket: each in the trace that its `traceparent` names; open sockets are counted.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { createAsk, jsonOf } from '../fixtures/api-client.ts';
import { openCollector } from '../fixtures/open-collector.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentSpanId = '00f067aa0ba902b7';

test('a message to an agent is a span of the trace that the client names; its socket is counted', async () => {
  await using collector = await openCollector();
  let sessionId: string;
  {
    await using rig = await openTestGateway({ config: { otlpEndpoint: collector.url } });
    const ask = createAsk(rig);
    const created = await ask('POST', 'sessions', { body: { connection_id: null, agent: null } });
    assert.equal(created.status, 201, created.text);
    sessionId = created.body.session.id;
    const socket = new WebSocket(`${rig.url.replace('http', 'ws')}/ws/sessions/${sessionId}`);
    await once(socket, 'open');
    const answered = once(socket, 'message');
    socket.send(JSON.stringify({ type: 'auth', token: rig.owner.token }));
    await answered;
    const message = {
      type: 'message',
      text: 'hello',
      client_message_id: 'one',
      traceparent: `00-${traceId}-${parentSpanId}-01`,
    };
    // There is no agent yet, which is an answer too.
    const refused = once(socket, 'message');
    socket.send(JSON.stringify(message));
    await refused;
    const health = await jsonOf(fetch(new URL('/health', rig.url)));
    assert.deepEqual([health.connected_websockets, health.active_sessions], [1, 1]);
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  }
  const [span, ...more] = collector.spans.filter(({ name }) => name === 'agent.process_message');
  assert.deepEqual(more, []);
  assert.deepEqual([span?.traceId, span?.parentSpanId], [traceId, parentSpanId]);
  assert.equal(span?.attributes['session_lease_id'], sessionId);
  assert.equal(typeof span?.attributes['message_length'], 'number');
});
