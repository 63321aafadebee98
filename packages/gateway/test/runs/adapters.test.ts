/*
 * HTTP, sockets and MCP as adapters: each asks the caller's one set of actions (caller-runs.ts), and what that refuses is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import type { ToolCall } from '@clawdfather/tools';
import type { ProcessParams } from '@clawdfather/protocol';
import { ApiError } from '../../src/http/api-error.ts';
import type { Caller } from '../../src/http/caller.ts';
import { createGuardedTools } from '../../src/mcp/guarded-tools.ts';
import { type McpRequest, withRequest } from '../../src/mcp/mcp-request.ts';
import { createRunsHandlers, type RunsParts } from '../../src/routes/runs.ts';
import type { RunsFor } from '../../src/runs/caller-runs.ts';
import type { RequestOrigin } from '../../src/runs/run-call.ts';
import { Terminals, type TerminalsDeps } from '../../src/socket/terminals.ts';

const caller: Caller = {
  kind: 'token',
  id: 't',
  name: 'agent',
  accountId: 'a' as Caller['accountId'],
  scopes: ['read', 'run'],
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  isOwner: false,
  cameBy: 'bearer',
};
const signal = new AbortController().signal;
const refusal = new ApiError('forbidden', 'asked and refused');

/* A set that refuses everything, and keeps what it was asked. */
function refusing() {
  const asked: string[] = [];
  const origins: RequestOrigin[] = [];
  const set = new Proxy(
    {},
    {
      get: (_target, name) => () => {
        asked.push(String(name));
        throw refusal;
      },
    },
  );
  const runsFor = ((who: Caller, origin: RequestOrigin) => {
    assert.equal(who, caller);
    origins.push(origin);
    return set;
  }) as unknown as RunsFor;
  return { asked, origins, runsFor };
}

test('HTTP: every endpoint asks for one action', async () => {
  const { asked, runsFor } = refusing();
  const tokens = { onForgotten: () => () => {}, check: async () => [] };
  const streams = { whileOpen: (_caller: Caller, work: () => unknown) => work() };
  const turnOfRun = () => undefined;
  const rest = { runs: {}, hub: {}, clock: createFakeClock(), log: silentLog, turnOfRun };
  const parts = { ...rest, runsFor, tokens, streams };
  const handlers = createRunsHandlers(parts as unknown as RunsParts);
  const events = (name: string) => (name === 'accept' ? 'text/event-stream' : undefined);
  const cases: readonly [name: keyof typeof handlers, expected: string, facts?: object][] = [
    ['list', 'page'],
    ['get', 'show'],
    ['output', 'outputPage'],
    ['output', 'look', { header: events }],
    ['screen', 'screen'],
    ['wait', 'wait'],
    ['create', 'start', { body: { command: 'true' } }],
    ['input', 'input'],
    ['keys', 'sendKeys'],
    ['keys', 'paste', { body: { paste: 'x' } }],
    ['resize', 'resize'],
    ['signal', 'signal'],
    ['cancel', 'kill'],
    ['remove', 'putAway'],
    ['remove', 'remove', { query: { force: 'true' } }],
  ];
  for (const [name, expected, facts] of cases) {
    asked.length = 0;
    const call = {
      caller,
      signal,
      params: { id: 'r' },
      query: {},
      body: {},
      header: () => undefined,
      leaveTurn: () => {},
    };
    const handler = handlers[name] as unknown as (given: object) => Promise<unknown>;
    await assert.rejects(handler({ ...call, ...facts }), refusal, name);
    assert.deepEqual(asked, [expected], name);
  }
  const tested = new Set(cases.map(([name]) => name));
  assert.deepEqual([...tested].toSorted(), Object.keys(handlers).toSorted(), 'all of them');
});

const actionNames: Readonly<Record<ProcessParams['action'], string>> = {
  list: 'list',
  poll: 'poll',
  log: 'log',
  screen: 'screen',
  write: 'write',
  'send-keys': 'sendKeys',
  submit: 'submit',
  paste: 'paste',
  resize: 'resize',
  signal: 'signal',
  kill: 'kill',
  clear: 'clear',
  remove: 'remove',
};

test('MCP: exec and every action of process ask for one action, for the account alone', async () => {
  const { asked, origins, runsFor } = refusing();
  const ways = { cancelsByLeaving: false, onRun: () => assert.fail('nothing has run') };
  const tools = createGuardedTools({ runsFor }, ways);
  const request = { caller, ip: '127.0.0.1', traceId: 'trace', left: signal } as McpRequest;
  const call: ToolCall = { signal, requester: 'mcp:x', account: 'a', sessionId: 's' };
  await assert.rejects(
    withRequest(request, () => tools.exec({ command: 'true' }, call)),
    refusal,
  );
  assert.deepEqual(asked, ['start']);
  for (const [action, expected] of Object.entries(actionNames)) {
    asked.length = 0;
    const params = { action, runId: 'r' } as ProcessParams;
    await assert.rejects(
      withRequest(request, () => tools.process(params, call)),
      refusal,
    );
    assert.deepEqual(asked, [expected]);
  }
  for (const { via, reach, requester } of origins) {
    assert.deepEqual([via, reach, requester], ['mcp', 'account', 'mcp:x token:t']);
  }
});

test('sockets: who looks and who types is asked about each time', async () => {
  const { asked, runsFor } = refusing();
  const runs = runsFor(caller, { ip: '', traceId: '', signal });
  const terminals = new Terminals({ runs, ownRunId: 'r' } as unknown as TerminalsDeps);
  const input = { data: 'x', encoding: 'text', eof: false } as const;
  for (const [message, expected] of [
    [{ type: 'terminal.attach', as: 'viewer', binary: false }, 'look'],
    [{ type: 'terminal.attach', as: 'terminal', binary: false }, 'drive'],
    [{ type: 'terminal.input', ...input }, 'drive'],
    [{ type: 'terminal.resize', cols: 1, rows: 1 }, 'drive'],
    [{ type: 'terminal.fit', cols: 1, rows: 1 }, 'drive'],
  ] as const) {
    asked.length = 0;
    await assert.rejects(terminals.handle(message), refusal);
    assert.deepEqual(asked, [expected], message.type);
  }
});

test('sockets: what is no base64 is refused, as over HTTP and MCP', async () => {
  const runs = { drive: () => ({ runId: 'r' }) };
  const terminals = new Terminals({ runs, ownRunId: 'r' } as unknown as TerminalsDeps);
  const message = { type: 'terminal.input', data: '%%', encoding: 'base64', eof: false } as const;
  await assert.rejects(terminals.handle(message), { code: 'validation_error' });
});
