/*
 * The trace of a turn through the relay: what an agent runs on a host with our tools is below the turn that it works on, whichever of
 * its turns that is.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '@clawdfather/sdk';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { sshdSkip } from '@clawdfather/testkit';
import { launcherPath } from '../support/cli-process.ts';
import { endOf, type GatewayRig } from '../support/gateway-rig.ts';
import { openHostWorld } from '../support/host-world.ts';

const { landlock, hasNamespaces } = await readConfinementSupport(shimBinaryPath());
const isWhole = landlock >= 6 && hasNamespaces;
const agent = fileURLToPath(new URL('../fixtures/obeying-agent.mjs', import.meta.url));

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

async function openCollector(t: TestContext): Promise<{ url: string; spans: Span[] }> {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { resourceSpans } = body as OtlpBody;
      for (const { scopeSpans } of resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

function tokenOf(rig: GatewayRig): string {
  const path = join(rig.env['XDG_CONFIG_HOME'] ?? '', 'clawdfather', 'gateways.json');
  const { gateways } = JSON.parse(readFileSync(path, 'utf8')) as { gateways: { token: string }[] };
  return gateways[0]?.token ?? '';
}

/* The text of the agent's answer. */
async function say(client: Client, threadId: string, text: string): Promise<string> {
  const named = { params: { id: threadId } };
  const { thread } = await client.threads.get(named);
  const { turn } = await client.threads.prompt({ ...named, body: { text } });
  let after = thread.last_seq;
  let said = '';
  for (;;) {
    const query = { after, limit: 200, wait_ms: 20_000 };
    const { items } = await client.threads.events({ ...named, query });
    for (const { seq, type, payload } of items) {
      after = seq;
      if (type === 'delta') said += String(payload['text']);
      const isEnd = type === 'status' && payload['result'] !== undefined;
      if (isEnd) return said;
    }
    assert.ok(turn.id);
  }
}

test('a command that an agent runs on a host is below its turn, in the first turn and in the next', {
  skip: sshdSkip || (!isWhole && 'the whole shield cannot be had here'),
  timeout: 180_000,
}, async (t) => {
  const collector = await openCollector(t);
  const { rig, project, url, serving } = await openHostWorld(t, {
    CLAWDFATHER_AGENTS: JSON.stringify({ obeying: { command: [process.execPath, agent] } }),
    CLAWDFATHER_GATEWAY_OTLP_ENDPOINT: collector.url,
    CLAWDFATHER_POLICY_MCP_SECURITY: 'full',
    CLAWDFATHER_POLICY_MCP_ASK: 'off',
  });
  const client = createClient({ baseUrl: url, token: tokenOf(rig) });
  const { thread } = await client.threads.create({
    body: { agent: 'obeying', directory: project },
  });
  const onHost = (word: string) =>
    `${process.execPath} ${launcherPath} exec --join --host web -- echo ${word}`;
  assert.equal(await say(client, thread.id, onHost('first')), 'first\n');
  assert.equal(await say(client, thread.id, onHost('second')), 'second\n');
  await rig.clf('stop', '--close-sessions');
  await endOf(serving);
  const turns = collector.spans.filter(({ name }) => name === 'agent.process_message');
  const commands = collector.spans.filter(({ name }) => name === 'ssh.exec');
  assert.deepEqual([turns.length, commands.length], [2, 2]);
  for (const [at, { traceId, spanId }] of turns.entries()) {
    assert.deepEqual([commands[at]?.traceId, commands[at]?.parentSpanId], [traceId, spanId]);
  }
  assert.notEqual(turns[0]?.traceId, turns[1]?.traceId);
});
