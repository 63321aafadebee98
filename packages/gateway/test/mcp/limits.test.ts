/*
 * What is malformed, too big or too much is refused, in the words of HTTP and of the protocol; never with a 5xx.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { cannotMakeUsers as skip, makeUnixUser } from '@clawdfather/testkit';
import { tokenShareOf } from '@clawdfather/tools';
import { usualAccountBounds } from '../../src/accounts/account-bounds.ts';
import { bodyBytesMax } from '../../src/mcp/limits.ts';
import { type McpRig, openMcpRig } from './rig.ts';

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(rig: McpRig, token: string, { method = 'POST', body, headers }: Sent) {
  const response = await fetch(rig.url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, text: await response.text() };
}

test('what is no message is refused in the words of the protocol', async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  const noJson = await send(rig, token, { body: '{"jsonrpc":' });
  assert.deepEqual([noJson.status, JSON.parse(noJson.text).error.code], [400, -32_700]);
  const empty = await send(rig, token, { body: '' });
  assert.equal(empty.status, 400);
  const wrongType = await send(rig, token, { body: '{}', headers: { 'content-type': 'text/xml' } });
  assert.equal(wrongType.status, 415);
  const noSession = await send(rig, token, { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  assert.match(noSession.text, /Mcp-Session-Id/);
  assert.equal(noSession.status, 400);
  const noStream = await send(rig, token, { method: 'GET' });
  assert.equal(noStream.status, 400);
  const unknown = await send(rig, token, {
    method: 'DELETE',
    headers: { 'mcp-session-id': 'nobody' },
  });
  assert.equal(unknown.status, 404);
});

test('a body has its limit', async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  const { status, text } = await send(rig, token, { body: `"${'x'.repeat(bodyBytesMax)}"` });
  assert.equal(status, 413);
  assert.equal(JSON.parse(text).error.code, 'payload_too_large');
});

test('whatever JSON and headers come, the answer is no 5xx', async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  const methods = fc.constantFrom('initialize', 'tools/call', 'server/discover', 'ping');
  const header = fc.stringMatching(/^[\x21-\x7e]{0,20}$/);
  const message = fc.oneof(
    fc.json(),
    fc
      .record({
        jsonrpc: fc.constant('2.0'),
        id: fc.nat(),
        method: methods,
        params: fc.jsonValue(),
      })
      .map((one) => JSON.stringify(one)),
    fc.array(fc.jsonValue(), { maxLength: 3 }).map((one) => JSON.stringify(one)),
  );
  await fc.assert(
    fc.asyncProperty(message, fc.option(header), fc.option(header), async (body, version, name) => {
      const headers = {
        ...(version === null ? {} : { 'mcp-protocol-version': version }),
        ...(name === null ? {} : { 'mcp-method': name }),
      };
      const { status, text } = await send(rig, token, { body, headers });
      assert.ok(status < 500, `${status} ${text} for ${body}`);
    }),
    { numRuns: 200 },
  );
});

test('an account has so many requests at once, and another account is not the worse for it', {
  skip,
}, async () => {
  await using user = await makeUnixUser();
  await using rig = await openMcpRig({ otherRunsAs: user });
  const { token } = await rig.makeToken();
  const other = await rig.makeToken(['read', 'run'], rig.gateway.other);
  await using agent = await rig.connect({ token });
  const ending = rig.createEnding(0);
  const { data } = await agent.call('exec', { command: ending.command, background: true });
  const { runId } = data;
  const poll = () => agent.call('process', { action: 'poll', runId, waitMs: 30_000 });
  const waiting = Array.from({ length: tokenShareOf(usualAccountBounds.streamsMax) }, async () => {
    try {
      return (await poll()).data['status'];
    } catch (error) {
      return String(error);
    }
  });
  // They are all under way when one more is refused.
  let refused = '';
  while (refused === '') {
    const { status, text } = await send(rig, token, { body: '{}' });
    if (status === 429) refused = JSON.parse(text).error.code;
  }
  assert.equal(refused, 'rate_limited');
  await using neighbour = await rig.connect({ token: other.token });
  assert.equal((await neighbour.call('exec', { command: 'true' })).data['exitCode'], 0);
  ending.letGo();
  const ends = await Promise.all(waiting);
  assert.ok(ends.every((status) => status === 'completed'));
  assert.equal((await send(rig, token, { body: '{}' })).status, 400, 'there is room again');
});

test('nothing of the protocol is loaded before the first request', async () => {
  const door = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
  const script = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
    await import(${JSON.stringify(door)});
    console.log(JSON.stringify(seen));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@clawdfather/source',
    '--input-type=module',
    '--eval',
    script,
  ]);
  const seen = JSON.parse(stdout) as string[];
  assert.ok(seen.some((url) => url.endsWith('/mcp/register-mcp.ts')));
  assert.deepEqual(
    seen.filter((url) => /@modelcontextprotocol|tools\/src\/mcp\//.test(url)),
    [],
  );
});
