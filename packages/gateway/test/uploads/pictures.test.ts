/*
 * Pictures that go along with a prompt: an agent that takes pictures gets them as such, if they are small; everyone else sees links.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@clawdfather/sdk';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

test('small pictures come as pictures, larger ones and other files as links, and no event has the bytes', async () => {
  await using rig = await openTestGateway();
  const client = createClient({ baseUrl: rig.url, token: rig.owner.token });
  const bring = async (name: string, contentType: string, size: number): Promise<string> => {
    const body = { name, size, content_type: contentType };
    const { id } = (await client.uploads.create({ body })).upload;
    const bytes = new Uint8Array(size).fill(7);
    await client.uploads.append({ params: { id }, query: { offset: 0 }, body: bytes });
    return id;
  };
  const attachments = [
    await bring('large.jpg', 'image/jpeg', 900 * 1024),
    await bring('one.png', 'image/png', 300 * 1024),
    await bring('drawing.svg', 'image/svg+xml', 100),
    await bring('two.png', 'image/png', 300 * 1024),
    await bring('three.png', 'image/png', 300 * 1024),
    await bring('notes.txt', 'text/plain', 5),
  ];
  const { thread } = await client.threads.create({ body: { agent: 'echo' } });
  const params = { id: thread.id };
  await client.threads.prompt({ params, body: { text: 'read attached', attachments } });
  const ask = createAsk(rig);
  let said = '';
  for (let seq = 0, isOver = false; !isOver; ) {
    const answer = await ask('GET', `threads/${thread.id}/events?after=${seq}&wait_ms=20000`);
    assert.ok(answer.text.length < 20_000, 'the bytes of a picture are in no event');
    for (const { seq: at, type, payload } of answer.body.items) {
      seq = at;
      if (type === 'delta') said += payload.text;
      isOver ||= type === 'status' && ['completed', 'failed'].includes(payload.event);
    }
  }
  assert.deepEqual(
    said
      .trimEnd()
      .split('. ')
      .map((line) => line.replace(/\.$/, '')),
    [
      'large.jpg has 921600 bytes',
      'one.png is seen and has 307200 bytes',
      'drawing.svg has 100 bytes',
      'two.png is seen and has 307200 bytes',
      'three.png has 307200 bytes',
      'notes.txt has 5 bytes',
    ],
  );
});
