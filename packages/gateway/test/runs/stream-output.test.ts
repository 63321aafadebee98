/*
 * Output as server-sent events: every byte once, by cursor, whatever happens to connections and gateways in between.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { callerOf, type EventReader } from '../fixtures/api-caller.ts';
import { makeTemporary } from '../fixtures/temporary.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';

async function bytesOf(events: EventReader, bytesMax = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  while (length < bytesMax) {
    const event = await events.next();
    if (event === undefined || event.event === 'exit') break;
    if (event.event !== 'output') continue;
    const bytes = Buffer.from(event.data.data, 'base64');
    pieces.push(bytes);
    length += bytes.length;
  }
  return Buffer.concat(pieces);
}

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('output, sizes and the exit come as events, each with the cursor after it', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const command = 'echo out; read _; echo err >&2; exit 4';
  const runId = await me.start({ command, pty: true });
  const path = `/api/v1/runs/${runId}`;
  await using events = await me.events(`${path}/output`);
  assert.equal(events.headers.get('content-type'), 'text/event-stream');
  assert.equal(events.headers.get('cache-control'), 'no-store');
  await events.untilSaid('out\r\n');
  await me.post(`${path}/resize`, { cols: 50, rows: 5 });
  const resize = await events.next();
  assert.deepEqual([resize?.event, resize?.data], ['resize', { cols: 50, rows: 5 }]);
  await me.post(`${path}/input`, { data: '\n' });
  await events.untilSaid('err\r\n');
  const exit = await events.next();
  assert.deepEqual([exit?.event, exit?.data.runId, exit?.data.exit.code], ['exit', runId, 4]);
  assert.equal(await events.next(), undefined, 'the stream ends after the exit');

  await using again = await me.events(`${path}/output`, { 'last-event-id': events.lastId ?? '' });
  assert.deepEqual((await again.next())?.event, 'exit', 'whoever has it all gets the exit again');
});

test('Last-Event-ID goes on after the event it names, and wins over the cursor of the address', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const runId = await me.start({ command: 'for i in 1 2 3; do read _; echo line $i; done' });
  const path = `/api/v1/runs/${runId}/output`;
  let lastId: string;
  {
    await using events = await me.events(path);
    await me.post(`/api/v1/runs/${runId}/input`, { data: '\n' });
    assert.equal(await events.untilSaid('line 1\n'), 'line 1\n');
    lastId = events.lastId ?? '';
  }
  await me.post(`/api/v1/runs/${runId}/input`, { data: '\n\n' });
  await me.untilEnded(runId);
  await using resumed = await me.events(`${path}?cursor=0.0`, { 'last-event-id': lastId });
  assert.equal((await bytesOf(resumed)).toString(), 'line 2\nline 3\n');
  await using byQuery = await me.events(`${path}?cursor=${lastId}`);
  assert.equal((await bytesOf(byQuery)).toString(), 'line 2\nline 3\n');
  const nonsense = await me.get(`${path}?cursor=nonsense`, { accept: 'text/event-stream' });
  assert.deepEqual([nonsense.status, nonsense.body.error.code], [400, 'validation_error']);
});

test('a gateway killed under output loses and doubles nothing for a reader that comes back', async () => {
  await using directory = await makeTemporary();
  const bytes = 6_000_000;
  let runId: string;
  let first: Buffer;
  let lastId: string;
  {
    await using gateway = await startGatewayProcess(directory.path);
    // Some of it is said to the first gateway, some while there is none, the rest to the second.
    const command = `seq 1 1000000 | head -c ${bytes} >all; head -c 1000000 all
      until [ -e killed ]; do sleep 0.01; done; tail -c +1000001 all | head -c 2500000
      until [ -e resumed ]; do sleep 0.01; done; tail -c +3500001 all`;
    runId = await gateway.me.start({ command });
    await using events = await gateway.me.events(`/api/v1/runs/${runId}/output`);
    first = await bytesOf(events, 300_000);
    await gateway.end('SIGKILL');
    writeFileSync(join(directory.path, 'killed'), '');
    // What was on its way when it was killed still counts.
    first = Buffer.concat([first, await bytesOf(events)]);
    lastId = events.lastId ?? '';
  }
  await using gateway = await startGatewayProcess(directory.path);
  await using events = await gateway.me.events(`/api/v1/runs/${runId}/output`, {
    'last-event-id': lastId,
  });
  writeFileSync(join(directory.path, 'resumed'), '');
  const all = Buffer.concat([first, await bytesOf(events)]);
  const ended = await gateway.me.untilEnded(runId);
  assert.equal(ended.exit.code, 0);
  assert.equal(all.length, bytes);
  const expected = Buffer.alloc(bytes);
  let at = 0;
  for (let line = 1; at < bytes; line += 1) at += expected.write(`${line}\n`, at);
  assert.equal(sha(all), sha(expected));
});

test('a reader that stands still holds nobody up, and goes on where it stood', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const bytes = 30_000_000;
  const runId = await me.start({ command: `head -c ${bytes} /dev/zero` });
  const path = `/api/v1/runs/${runId}/output`;
  const { authorization, accept } = {
    authorization: `Bearer ${rig.owner.token}`,
    accept: 'text/event-stream',
  };
  const request = get(new URL(path, rig.url), { headers: { authorization, accept } });
  const [slow] = (await once(request, 'response')) as [IncomingMessage];
  await me.untilEnded(runId);
  // Long enough for the gateway to have let go of what it was reading from.
  await using events = await me.events(path);
  assert.equal((await bytesOf(events)).length, bytes, 'another reader gets all of it');
  let text = '';
  for await (const piece of slow) text += piece;
  const pieces = [...text.matchAll(/^event: output\nid: .*\ndata: (.*)$/gm)];
  const taken = pieces.map(([, data = '']) => Buffer.from(JSON.parse(data).data, 'base64').length);
  assert.equal(
    taken.reduce((sum, length) => sum + length, 0),
    bytes,
  );
  assert.match(text, /event: exit\n/);
});

test('a revoked token ends its streams', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const runId = await me.start({ argv: ['sleep', '600'] });
  await using events = await me.events(`/api/v1/runs/${runId}/output`);
  await rig.gateway.store.forAccount(rig.owner.accountId).devices.revoke({
    id: rig.owner.deviceId,
    audit: { action: 'device.revoke', actor: 'test' },
  });
  assert.equal(await events.next(), undefined);
});
