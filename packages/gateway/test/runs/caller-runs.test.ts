/*
 * Every action of every kind of caller on every kind of run, through the one set; and what the audit log has of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemRandom, deferred, hasCode, silentLog } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import type { ToolCall, UnaskedStart } from '@clawdfather/tools';
import type { Caller } from '../../src/http/caller.ts';
import { type CallerRuns, createRunsFor } from '../../src/runs/caller-runs.ts';
import type { RequestOrigin } from '../../src/runs/run-call.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

const base = { expiresAtMs: Number.MAX_SAFE_INTEGER, cameBy: 'bearer', name: 'phone' } as const;
const all = ['read', 'run', 'approve', 'admin'] as const;

function callerNamed(account: string, over: Partial<Caller>): Caller {
  const accountId = account as Caller['accountId'];
  return { ...base, kind: 'device', id: 'x', scopes: all, isOwner: false, accountId, ...over };
}

const callers = {
  'owner’s device': callerNamed('owner', { isOwner: true }),
  'owner’s token': callerNamed('owner', { isOwner: true, kind: 'token', scopes: ['read', 'run'] }),
  'owner’s agent': callerNamed('owner', { isOwner: true, kind: 'token', scopes: ['run'] }),
  'owner’s reader': callerNamed('owner', { isOwner: true, kind: 'token', scopes: ['read'] }),
  'member’s device': callerNamed('member', {}),
  'member’s token': callerNamed('member', { kind: 'token', scopes: ['read', 'run'] }),
  stranger: callerNamed('stranger', {}),
};
type CallerName = keyof typeof callers;

/* Over MCP: its account and no more. */
const narrow: readonly CallerName[] = ['owner’s agent'];

function labelled(account: string, requester: string, runAs?: string) {
  const labels = { account, requester, host: 'local', ...(runAs === undefined ? {} : { runAs }) };
  return { backendId: 'exec', labels };
}

const started = {
  'an agent’s': labelled('owner', 'token:t'),
  'a person’s': labelled('owner', 'device:d'),
  'a local agent’s': labelled('local', 'mcp:claude'),
  'the command line’s': { backendId: 'cli', labels: {} },
  'a member’s': labelled('member', 'token:m', 'bob'),
  'a member’s person’s': labelled('member', 'device:m', 'bob'),
  'a member’s, as the gateway': labelled('member', 'token:m'),
};
const held = {
  'an agent’s, held': { account: 'owner', requester: 'token:t' },
  'a person’s, held': { account: 'owner', requester: 'device:d' },
};
type RunName = keyof typeof started | keyof typeof held;

/* What an action needs: to know of it, its process to look at, to drive it, to end it. */
const kinds = ['know', 'look', 'drive', 'end'] as const;
type Kind = (typeof kinds)[number];
type Outcomes = readonly [string, string, string, string];

const allowed: Outcomes = ['ok', 'ok', 'ok', 'ok'];
const unknown: Outcomes = ['not_found', 'not_found', 'not_found', 'not_found'];
const looksOnly: Outcomes = ['ok', 'ok', 'forbidden', 'forbidden'];
/* The scope is asked for first: without it there is nothing to learn about a run. */
const readerUnknown: Outcomes = ['not_found', 'not_found', 'forbidden', 'forbidden'];
const waiting: Outcomes = ['ok', 'not_running', 'not_running', 'ok'];
const waitingForAnother: Outcomes = ['ok', 'not_running', 'not_running', 'forbidden'];
const endsOnly: Outcomes = ['ok', 'ok', 'forbidden', 'ok'];

const membersRuns = {
  'a member’s': unknown,
  'a member’s person’s': unknown,
  'a member’s, as the gateway': unknown,
};
const ownersRuns = {
  'an agent’s': unknown,
  'a person’s': unknown,
  'a local agent’s': unknown,
  'the command line’s': unknown,
  'an agent’s, held': unknown,
  'a person’s, held': unknown,
};

const expected: Readonly<Record<CallerName, Readonly<Record<RunName, Outcomes>>>> = {
  'owner’s device': {
    ...membersRuns,
    'an agent’s': allowed,
    'a person’s': allowed,
    'a local agent’s': allowed,
    'the command line’s': allowed,
    'an agent’s, held': waiting,
    'a person’s, held': waiting,
  },
  'owner’s token': {
    ...membersRuns,
    'an agent’s': allowed,
    'a person’s': looksOnly,
    'a local agent’s': allowed,
    'the command line’s': unknown,
    'an agent’s, held': waiting,
    'a person’s, held': waitingForAnother,
  },
  'owner’s agent': {
    ...membersRuns,
    'an agent’s': allowed,
    'a person’s': looksOnly,
    'a local agent’s': unknown,
    'the command line’s': unknown,
    'an agent’s, held': waiting,
    'a person’s, held': waitingForAnother,
  },
  'owner’s reader': {
    'a member’s': readerUnknown,
    'a member’s person’s': readerUnknown,
    'a member’s, as the gateway': readerUnknown,
    'an agent’s': looksOnly,
    'a person’s': looksOnly,
    'a local agent’s': looksOnly,
    'the command line’s': readerUnknown,
    'an agent’s, held': ['ok', 'not_running', 'forbidden', 'forbidden'],
    'a person’s, held': ['ok', 'not_running', 'forbidden', 'forbidden'],
  },
  'member’s device': {
    ...ownersRuns,
    'a member’s': allowed,
    'a member’s person’s': allowed,
    'a member’s, as the gateway': endsOnly,
  },
  'member’s token': {
    ...ownersRuns,
    'a member’s': allowed,
    'a member’s person’s': looksOnly,
    'a member’s, as the gateway': endsOnly,
  },
  stranger: { ...ownersRuns, ...membersRuns },
};

const body = { data: 'x', encoding: 'text', eof: false } as const;
const actions: readonly (readonly [string, Kind, (runs: CallerRuns, runId: string) => unknown])[] =
  [
    ['show', 'know', (runs, id) => runs.show(id)],
    ['wait', 'know', (runs, id) => runs.wait(id, 0)],
    ['poll', 'know', (runs, runId) => runs.poll({ runId })],
    ['look', 'look', (runs, id) => runs.look(id)],
    ['outputPage', 'look', (runs, id) => runs.outputPage(id, { limit: 1 })],
    ['log', 'look', (runs, runId) => runs.log({ runId })],
    ['screen', 'look', (runs, runId) => runs.screen({ runId })],
    ['drive', 'drive', (runs, id) => runs.drive(id)],
    ['input', 'drive', (runs, id) => runs.input(id, body)],
    ['write', 'drive', (runs, runId) => runs.write({ runId, data: 'x' })],
    ['sendKeys', 'drive', (runs, runId) => runs.sendKeys({ runId, literal: 'x' })],
    ['submit', 'drive', (runs, runId) => runs.submit({ runId })],
    ['paste', 'drive', (runs, runId) => runs.paste({ runId, text: 'x' })],
    ['resize', 'drive', (runs, runId) => runs.resize({ runId, cols: 1, rows: 1 })],
    ['signal', 'drive', (runs, runId) => runs.signal({ runId, signal: 'INT' })],
    ['kill', 'end', (runs, runId) => runs.kill({ runId })],
    ['remove', 'end', (runs, runId) => runs.remove({ runId })],
    ['clear', 'end', (runs, runId) => runs.clear({ runId })],
    ['putAway', 'end', (runs, runId) => runs.putAway({ runId })],
  ];

const audited: Readonly<Record<string, string>> = {
  signal: 'run.signal',
  kill: 'run.cancel',
  remove: 'run.remove',
  clear: 'run.remove',
  putAway: 'run.remove',
};

const exit = { reason: 'exit', leftovers: [], survivors: [], killed: {} };

function openRig({ isFull = false, log = silentLog, room = Promise.resolve() } = {}) {
  const events: string[] = [];
  const run = {
    wait: async () => exit,
    write: async () => {},
    end: async () => {},
  };
  const supervisor = {
    get: (runId: string) => {
      const found = started[runId as keyof typeof started];
      if (found === undefined) return undefined;
      return { runId, state: 'running', mode: 'pty', deadlines: {}, createdAtMs: 0, ...found };
    },
    attach: async () => run,
    stalls: async () => new Map(),
    detail: () => ({
      lastOutputAtMs: undefined,
      outputBytes: undefined,
      droppedBytes: 0,
      graceMs: undefined,
      limits: {},
    }),
    inputOffset: () => 0,
  };
  const act =
    (name: string) =>
    async ({ runId = '' }: { readonly runId?: string }, call: ToolCall) => {
      if (name === 'exec') await call.beforeStart?.(unasked(call.runId ?? ''));
      events.push(`do ${name} ${runId}`);
      if (name === 'exec') return { runId, status: 'running' };
      return { runId, status: 'denied', rule: '', by: '' };
    };
  const tools = {
    actions: new Proxy({}, { get: (_target, name) => act(String(name)) }),
    startingFor: () => undefined,
    findId: (id: string) => id,
    waitForEnd: async () => ({ kind: 'denied' }),
  };
  const deps = {
    runs: {
      supervisor,
      users: { of: () => undefined },
      takeOver: { lookAfter: () => {} },
      gatekeeper: {
        approvalOf: (runId: string) => {
          const found = held[runId as keyof typeof held];
          if (found === undefined) return undefined;
          const command = { kind: 'argv', argv: ['true'] };
          return {
            runId,
            approvalId: 'a',
            host: 'local',
            state: 'pending',
            command,
            labels: {},
            createdAtMs: 0,
            ...found,
          };
        },
      },
      personTools: tools,
      agentTools: tools,
    },
    store: {
      forAccount: (account: string) => ({
        auditLog: {
          record: async (entry: { readonly action: string; readonly target: string }) => {
            await room;
            if (isFull) throw new Error('no room');
            events.push(`record ${entry.action} ${entry.target} for ${account}`);
          },
        },
      }),
    },
    clock: createFakeClock(),
    random: createSystemRandom(),
    log,
    sessions: {},
  };
  // As much as these tests need.
  const runsFor = createRunsFor(deps as unknown as Parameters<typeof createRunsFor>[0]);
  const never = new AbortController().signal;
  return {
    events,
    runsOf: (name: CallerName, over: Partial<RequestOrigin> = {}) =>
      runsFor(callers[name], {
        ip: '127.0.0.1',
        traceId: 'trace',
        signal: never,
        ...(narrow.includes(name) ? { reach: 'account', takesBeginnings: true } : {}),
        ...over,
      }),
  };
}

/* As the tools tell it of a command that may start. */
function unasked(runId: string): UnaskedStart {
  const command = { kind: 'argv', argv: ['true'] } as const;
  const action = { command, cwd: '/', envAdditions: {}, host: 'local', account: 'a' };
  return { runId, action, rule: 'security: full', rules: [] };
}

async function outcomeOf(act: () => unknown): Promise<string> {
  try {
    await act();
    return 'ok';
  } catch (error) {
    if (hasCode(error, 'not_found', 'forbidden', 'not_running')) return error.code;
    throw error;
  }
}

for (const name of Object.keys(callers) as CallerName[]) {
  test(`what the ${name} may do, action by action and run by run`, async () => {
    for (const [runName, outcomes] of Object.entries(expected[name])) {
      for (const [action, kind, act] of actions) {
        const { events, runsOf } = openRig();
        const outcome = await outcomeOf(() => act(runsOf(name), runName));
        const wanted = outcomes[kinds.indexOf(kind)];
        assert.equal(outcome, wanted, `${name}: ${action} of ${runName} run`);
        const entries = events.filter((event) => event.startsWith('record'));
        const entry = `record ${audited[action]} ${runName} for ${callers[name].accountId}`;
        const isRecorded = outcome === 'ok' && audited[action] !== undefined;
        assert.deepEqual(entries, isRecorded ? [entry] : [], `${name}: ${action} of ${runName}`);
        const isDone = events.some((event) => event.startsWith('do '));
        assert.ok(!isDone || outcome === 'ok', `${name}: ${action} of ${runName} did something`);
      }
    }
  });
}

test('a start needs the scope run, and is written down before it happens', async () => {
  for (const name of Object.keys(callers) as CallerName[]) {
    const { events, runsOf } = openRig();
    const outcome = await outcomeOf(() => runsOf(name).start({ command: 'true' }));
    const isReader = name === 'owner’s reader';
    assert.equal(outcome, isReader ? 'forbidden' : 'ok', name);
    const what = events.map((event) => event.split(' ').slice(0, 2).join(' '));
    assert.deepEqual(what, isReader ? [] : ['record run.start', 'do exec'], name);
  }
});

test('where no entry can be written nothing starts, and everything can be ended', async () => {
  const lines: Line[] = [];
  const { events, runsOf } = openRig({ isFull: true, log: recordingLog(lines) });
  await assert.rejects(runsOf('owner’s device').start({ command: 'true' }), /no room/);
  assert.deepEqual(events, []);
  for (const via of [undefined, 'mcp'] as const) {
    for (const [action, , act] of actions.filter(([name]) => name in audited)) {
      lines.length = 0;
      const runs = runsOf('owner’s device', via === undefined ? {} : { via });
      await act(runs, 'an agent’s');
      assert.deepEqual(
        lines.map(([, name, fields]) => [name, fields['action']]),
        [['run.ending-unrecorded', audited[action]]],
        action,
      );
    }
  }
});

test('an ending does not wait for its entry to be written', async () => {
  const room = deferred();
  const { runsOf, events } = openRig({ room: room.promise });
  const killing = runsOf('owner’s device').kill({ runId: 'an agent’s' });
  await new Promise(setImmediate);
  assert.deepEqual(events, ['do kill an agent’s']);
  room.resolve();
  await killing;
  assert.deepEqual(events.slice(1), ['record run.cancel an agent’s for owner']);
});
