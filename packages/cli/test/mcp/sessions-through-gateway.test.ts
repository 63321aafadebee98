/*
 * The tools about sessions while no gateway is there: waited for, bounded, cancellable, with one key through all attempts (GA1 to GA4).
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createSessionsThroughGateway } from '../../src/mcp/sessions-through-gateway.ts';
import { readIdentity, writeGatewayFile } from '../../src/gateway/gateway-file.ts';
import { startTicksOf } from '@clawdfather/supervisor/alive';

const never = new AbortController().signal;

function openPlace(t: TestContext) {
  const stateDir = mkdtempSync(join(tmpdir(), 'clf-sessions-'));
  t.after(() => rmSync(stateDir, { recursive: true, force: true }));
  const keyFile = join(stateDir, 'key');
  writeFileSync(keyFile, 'clf_agent_x');
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const toolsWith = (waitMs: number) =>
    createSessionsThroughGateway({ stateDir, keyFile, clock, random, waitMs });
  return { stateDir, keyFile, toolsWith };
}

test('GA3 it is waited for no longer than that, and the error names the key to go on with', async (t) => {
  const { toolsWith } = openPlace(t);
  const tools = toolsWith(300);
  await assert.rejects(tools.spawn({ task: 'x', key: 'mine' }, never), {
    code: 'gateway-not-back',
    message: 'the gateway is not back yet',
    hint: /the same call again with key "mine", and it is done once/,
  });
  await assert.rejects(tools.send({ session: 's', text: 'x' }, never), {
    code: 'gateway-not-back',
    hint: /again with key "[0-9a-z]{16}"/,
  });
  await assert.rejects(tools.list({}, never), {
    code: 'gateway-not-back',
    hint: 'Try again later.',
  });
});

test('a call that is cancelled waits no longer', async (t) => {
  const { toolsWith } = openPlace(t);
  const stop = new AbortController();
  const call = toolsWith(3_600_000).list({}, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(call, { message: 'enough' });
});

test('GA1, GA2 refusals of a gateway that starts or stops are waited out, with one key', async (t) => {
  const { stateDir, toolsWith } = openPlace(t);
  const seen: string[] = [];
  const gateway = await serve(t, (request, response) => {
    seen.push(`${String(request.headers['idempotency-key'])} ${request.headers.authorization}`);
    if (seen.length === 1) {
      request.socket.destroy();
      return;
    }
    const busy = { error: { code: 'unavailable', message: 'stopping', detail: {} } };
    const refused = { error: { code: 'session_limit_reached', message: 'no more', detail: {} } };
    response.writeHead(seen.length === 2 ? 503 : 409, { 'content-type': 'application/json' });
    response.end(JSON.stringify(seen.length === 2 ? busy : refused));
  });
  runsAt(stateDir, gateway);
  await assert.rejects(toolsWith(60_000).spawn({ task: 'x', key: 'one' }, never), {
    message: /no more/,
  });
  assert.deepEqual(seen, Array(3).fill('one Bearer clf_agent_x'));
});

test('a key that is not known any more is not tried again', async (t) => {
  const { stateDir, toolsWith } = openPlace(t);
  let count = 0;
  const gateway = await serve(t, (_request, response) => {
    count += 1;
    const refused = { error: { code: 'unauthorized', message: 'no', detail: {} } };
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(refused));
  });
  runsAt(stateDir, gateway);
  await assert.rejects(toolsWith(60_000).list({}, never), { code: 'agent-unknown-here' });
  assert.equal(count, 1);
});

/* As if this process were the gateway. */
function runsAt(stateDir: string, url: string): void {
  writeGatewayFile(stateDir, {
    url,
    pid: process.pid,
    startTicks: startTicksOf(process.pid) ?? 0,
    ...readIdentity(),
    version: '1.2.3',
    startedAtMs: 1,
    database: 'sqlite',
    publicUrl: null,
    certificate: null,
  });
}

async function serve(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer);
  t.after(() => void server.close());
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
