/*
 * The route itself, on a server whose clock is in our hands.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createSystemRandom, deferred, silentLog } from '@clawdfather/kit';
import type { ExecParams, ExecResult } from '@clawdfather/protocol';
import { createFakeClock } from '@clawdfather/testkit';
import type { ToolCall } from '@clawdfather/tools';
import { createAccountPlaces } from '../../src/accounts/account-places.ts';
import { createFairTurns } from '../../src/accounts/fair-turns.ts';
import { createOpenStreams } from '../../src/http/open-streams.ts';
import type { Caller } from '../../src/http/caller.ts';
import { createRunsFor } from '../../src/runs/caller-runs.ts';
import { createServer } from '../../src/http/create-server.ts';
import { type McpParts, registerMcp } from '../../src/mcp/register-mcp.ts';
import { connect } from './rig.ts';

const caller: Caller = {
  kind: 'token',
  accountId: 'account' as Caller['accountId'],
  id: 'token',
  name: 'agent',
  scopes: ['run'],
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  isOwner: false,
  cameBy: 'bearer',
};

async function openRig() {
  const clock = createFakeClock();
  const [asked, finished] = [deferred(), deferred()];
  let signal: AbortSignal | undefined;
  const exec = async (_params: ExecParams, call: ToolCall): Promise<ExecResult> => {
    ({ signal } = call);
    asked.resolve();
    await finished.promise;
    return { status: 'denied', cause: 'policy', rule: 'enough', by: 'test' };
  };
  const deps = { clock, random: createSystemRandom(), log: silentLog };
  const server = createServer({
    ...deps,
    names: { isHost: () => true, isOrigin: () => true },
    tls: undefined,
    trustedProxies: [],
    gatewayHeader: () => undefined,
    enterTrace: (_trace, next) => next(),
    onDone: () => {},
  });
  // As much as these tests need.
  const parts = {
    ...deps,
    runs: {
      supervisor: { list: () => [] },
      users: { of: () => undefined },
      agentTools: { actions: { exec } },
    },
    store: {
      forAccount: () => ({
        auditLog: { record: async () => {} },
        mcpSessions: {
          create: async () => {},
          find: async () => undefined,
          use: async () => 'used',
          end: async () => 'ended',
        },
      }),
    },
    sessions: {},
    turns: createFairTurns(deps.clock),
  };
  const tokens = { onForgotten: () => () => {}, check: async () => [] };
  const places = createAccountPlaces({ what: 'streams', placesMax: 100 });
  const runsFor = createRunsFor(parts as unknown as Parameters<typeof createRunsFor>[0]);
  registerMcp(server, {
    ...parts,
    runsFor,
    config: { version: '0.0.0' },
    authenticate: async () => caller,
    tokens,
    streams: createOpenStreams({ tokens: tokens as never, clock: deps.clock, places }),
  } as unknown as McpParts);
  server.get('/hangs', () => new Promise(() => {}));
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const headers = {
    authorization: 'Bearer x',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const begin = async (): Promise<string> => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? '';
  };
  return {
    clock,
    url,
    asked: asked.promise,
    finish: () => finished.resolve(),
    /* Of the call that the tool was given. */
    signal: () => signal,
    begin,
    inSession: (method: string, session: string) =>
      fetch(`${url}/mcp`, { method, headers: { ...headers, 'mcp-session-id': session } }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

test('a call is not cut after the thirty seconds that other requests have', async () => {
  await using rig = await openRig();
  await using agent = await connect({ url: `${rig.url}/mcp`, token: 'x' });
  const waiting = agent.call('exec', { command: 'something long' });
  await rig.asked;
  let status = 0;
  const hanging = fetch(`${rig.url}/hangs`).then((answer) => {
    ({ status } = answer);
  });
  // The clock runs ahead of the socket: until the request has come, there is nothing to be late.
  while (status === 0) {
    await rig.clock.advance(31_000);
    await new Promise(setImmediate);
  }
  await hanging;
  assert.ok(status >= 500, `the other one was cut with ${status}`);
  rig.finish();
  assert.equal((await waiting).data['status'], 'denied');
});

test('a session that is idle for an hour is not in memory any more; one with an open stream is', async () => {
  await using rig = await openRig();
  const [idle, listening] = [await rig.begin(), await rig.begin()];
  const stream = await rig.inSession('GET', listening);
  await rig.clock.advance(61 * 60_000);
  assert.equal((await rig.inSession('DELETE', idle)).status, 404);
  assert.equal((await rig.inSession('DELETE', listening)).status, 200);
  await stream.text();
});

test('a second stream of notices takes the place of the first, which may be lost without our knowing', async () => {
  await using rig = await openRig();
  const session = await rig.begin();
  const first = await rig.inSession('GET', session);
  const second = await rig.inSession('GET', session);
  assert.equal(second.status, 200);
  assert.equal(await first.text(), '');
  assert.equal((await rig.inSession('DELETE', session)).status, 200);
  assert.equal(await second.text(), '');
});

test('a server that closes ends its streams in order', async () => {
  const rig = await openRig();
  const stream = await rig.inSession('GET', await rig.begin());
  await rig[Symbol.asyncDispose]();
  assert.equal(await stream.text(), '');
  // The last look at tokens of open streams finds none.
  await rig.clock.advance(1_000);
  assert.equal(rig.clock.pendingTimers, 0);
});

test('a client that leaves cancels its call; a server that closes does not', async () => {
  const rig = await openRig();
  const agent = await connect({ url: `${rig.url}/mcp`, token: 'x' });
  const leave = new AbortController();
  const first = agent.call('exec', { command: 'first' }, { signal: leave.signal });
  await rig.asked;
  const cancelled = once(rig.signal() ?? new EventTarget(), 'abort');
  leave.abort();
  await assert.rejects(first);
  await cancelled;
  const before = rig.signal();
  const second = agent.call('exec', { command: 'second' });
  while (rig.signal() === before) await new Promise(setImmediate);
  await Promise.all([rig[Symbol.asyncDispose](), assert.rejects(second)]);
  // By now the server has seen it, too.
  await new Promise(setImmediate);
  assert.equal(rig.signal()?.aborted, false);
  rig.finish();
  await agent.close();
});
