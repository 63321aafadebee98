/*
 * A prompt whose answer is lost is asked about again with the same keys, so that nothing is begun or said twice.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient } from '@clawdfather/sdk';
import type { CommandContext } from '../../src/command.ts';
import { sendPrompt } from '../../src/threads/send-prompt.ts';

const at = '2026-01-01T00:00:00.000Z';
const thread = {
  id: '0000000000000001',
  title: '',
  agent: 'fake',
  status: 'ready',
  connection_id: null,
  directory: '/project',
  session_id: null,
  last_seq: 0,
  last_turn_id: null,
  last_result_code: null,
  seen_seq: 0,
  session_key: '0000000000000001',
  agent_id: 'fake',
  backend: 'acp',
  owner_session_key: '0000000000000001',
  spawned_by: null,
  parent_session_key: null,
  ancestor_session_keys: [],
  gateway_instance_id: 'one',
  created_at: at,
  updated_at: at,
};
const turn = {
  id: '0000000000000002',
  thread_id: thread.id,
  status: 'queued',
  run_id: null,
  queued_at: at,
  started_at: null,
  deadline_at: null,
  ended_at: null,
  cancel_asked_at: null,
  result: null,
  usage: null,
  priority: 0,
  not_before: null,
  queue: null,
  artifact_sync: { status: 'no-artifacts', count: 0, missing: [], missing_count: 0 },
};

interface Seen {
  readonly path: string | undefined;
  readonly key: unknown;
  readonly body: Readonly<Record<string, unknown>>;
}

/* Takes every request, and loses the first answer to each. */
async function openLossy() {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path, headers } = request;
      const isFirst = !seen.some((one) => one.path === path);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Seen['body'];
      seen.push({ path, key: headers['idempotency-key'], body });
      if (isFirst) return request.socket.destroy();
      const isTurn = path?.endsWith('/turns') === true;
      response.writeHead(isTurn ? 202 : 201, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isTurn ? { turn } : { thread }));
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('both calls are repeated with their keys', async () => {
  await using lossy = await openLossy();
  const random = createSystemRandom();
  // Waits for nothing.
  const clock = { ...createSystemClock(), sleep: async () => {} };
  const { url } = lossy;
  const target = { url, name: 'home', stored: undefined, isLocal: true, stateDirHere: '/' };
  const retry = { clock, random, onLink: () => {} };
  const watching = {
    note: async () => {},
    retry,
    follow: () => Promise.reject(new Error('not here')),
  };
  const context = { caller: { cwd: '/project' }, random } as unknown as CommandContext;
  const wish = { prompt: 'hello', directory: 'sub', isDetached: false };
  const { signal } = new AbortController();
  const sent = await sendPrompt(
    context,
    { client: createClient({ baseUrl: url }), target },
    { watching, wish, before: undefined, signal },
  );
  assert.deepEqual([sent.thread.id, sent.turn.id], [thread.id, turn.id]);
  const [create, createdAgain, prompt, promptedAgain, ...more] = lossy.seen;
  assert.equal(more.length, 0);
  assert.deepEqual(create, createdAgain);
  assert.ok(create?.key !== undefined);
  assert.equal(create.body['directory'], '/project/sub');
  assert.deepEqual(prompt, promptedAgain);
  assert.equal(prompt?.body['text'], 'hello');
  assert.equal(typeof prompt?.body['client_message_id'], 'string');
});
