/*
 * What a row of the outbox becomes on its way to the gateway.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../src/client.ts';
import { createOutboxWire } from '../../src/outbox/outbox-wire.ts';

test('a message goes with its key, and with its files where it has any', async () => {
  const bodies: unknown[] = [];
  const refusal = { error: { code: 'not_found', message: 'no such thread', detail: {} } };
  const client = createClient({
    baseUrl: 'http://gateway.test',
    fetch: async (url, init) => {
      bodies.push(await new Request(url, init).json());
      return Response.json(refusal, { status: 404 });
    },
  });
  const wire = createOutboxWire(client);
  const attachments = ['u1', 'u2'];
  const attempt = await wire.prompt('k1', 't1', { kind: 'message', text: 'look', attachments });
  assert.equal(attempt.kind, 'refused');
  await wire.prompt('k2', 't1', { kind: 'message', text: 'only words' });
  assert.deepEqual(bodies, [
    { text: 'look', client_message_id: 'k1', attachments },
    { text: 'only words', client_message_id: 'k2' },
  ]);
});
