/*
 * Results as text: the first line says what became of it, and whoever must go on is told how.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExecResult, ProcessResult } from '@clawdfather/protocol';
import { formatOutcome, isRefusal } from '../../src/mcp/exec-text.ts';
import { formatProcessResult } from '../../src/mcp/process-text.ts';
import { requesterOf } from '../../src/mcp/client-name.ts';

const completed: Extract<ExecResult, { status: 'completed' }> = {
  status: 'completed',
  runId: 'r1',
  exitCode: 3,
  reason: 'exit',
  durationMs: 1_234,
  output: 'hello\n',
  cursor: 'c9',
  cwd: '/',
  leftovers: [],
  notes: [],
};
const failed: Extract<ExecResult, { status: 'failed' }> = {
  status: 'failed',
  runId: 'r1',
  kind: 'overall-timeout',
  message: 'ended after its time limit of 2 s',
  output: '',
  cursor: 'c9',
  leftovers: [],
  notes: [],
};

test('a completed run: exit code first, then its output', () => {
  assert.equal(formatOutcome(completed), 'Exit code 3 after 1.2 s, run r1.\n\nhello\n');
});

test('what was left out can be read with the call that is named', () => {
  const truncated = { droppedBytes: 5_000, fromCursor: 'c1' };
  const text = formatOutcome({ ...completed, truncated });
  const call = /Read them with process (\{.*?\})\]/.exec(text)?.[1] ?? '';
  assert.deepEqual(JSON.parse(call), { action: 'log', runId: 'r1', cursor: 'c1' });
  assert.match(text, /\]\n…hello\n$/, 'it may begin in the middle of a line');
});

test('processes left behind are named, with the way to end them', () => {
  const text = formatOutcome({ ...completed, leftovers: [{ pid: 7, name: 'node' }] });
  assert.match(
    text,
    /Left running by it: node \(pid 7\)\. End them with process \{"action":"kill"/,
  );
});

test('a running one is followed with the call that is named', () => {
  const text = formatOutcome({
    status: 'running',
    runId: 'r1',
    pid: 7,
    startedAt: '2026-01-01T00:00:00.000Z',
    tail: 'so far',
    cursor: 'c2',
    notes: ['it runs on pipes'],
  });
  assert.match(text, /^Running \(pid 7\), run r1\.\n/);
  assert.match(text, /poll","runId":"r1","cursor":"c2","waitMs":30000/);
  assert.match(text, /it runs on pipes\n\nso far$/);
});

test('a living run says its time limits, wherever it is shown', () => {
  const limits = { timeoutMs: 5_400_000, timeoutAt: '2026-01-01T01:30:00.000Z' };
  const running = { status: 'running' as const, runId: 'r1', cursor: 'c2', notes: [] };
  const said = (more: object) => formatOutcome({ ...running, tail: '', ...more });
  assert.match(said(limits), /^Time limit: 1h30m, ends at 2026-01-01T01:30:00\.000Z\.$/m);
  assert.match(said({ timeoutMs: 90_500 }), /^Time limit: 1m30s500ms from its start\.$/m);
  assert.match(said({ timeoutMs: null }), /^No time limit\.$/m);
  assert.match(
    said({ timeoutMs: null, noOutputTimeoutMs: 60_000 }),
    /^No time limit\. It is also ended after 1m without output\.$/m,
  );
  assert.doesNotMatch(said({}), /limit/i, 'what is not known is not said');
  const poll = { ...running, output: '', waitingForInput: false, ...limits };
  assert.match(formatProcessResult({ ...poll, action: 'poll' }), /^Time limit: 1h30m, ends at/m);
  const run = {
    runId: 'r1',
    state: 'running',
    command: 'x',
    cwd: '/',
    host: 'local',
    pty: false,
    leftovers: 0,
  } as const;
  const list = (more: object) =>
    formatProcessResult({ action: 'list', runs: [{ ...run, ...more }], isMore: false });
  assert.match(
    list({ pid: 7, ...limits }),
    /running \(pid 7\), until 2026-01-01T01:30:00\.000Z {2}x/,
  );
  assert.match(list({ timeoutMs: null }), /running, no time limit {2}x/);
});

test('a held one says that the agent cannot decide', () => {
  const held = {
    status: 'approval-pending',
    approvalId: 'a1',
    runId: 'r1',
    why: '/usr/bin/touch is not on the allowlist',
    expiresAt: '2026-01-01T00:30:00.000Z',
  } as const;
  const text = formatOutcome(held);
  assert.match(text, /\nWhy: \/usr\/bin\/touch is not on the allowlist\.\n/);
  assert.match(
    text,
    /You cannot approve it\. The user can: clf allow a1 \(on the gateway's machine/,
  );
  const here = formatOutcome({ ...held, stateDir: '/srv/state' });
  assert.match(here, /clf allow a1 \(it waits in \/srv\/state; clf approvals shows it\)\. /);
  assert.match(text, /process \{"action":"poll","runId":"r1"/);
});

test('a denial says who denied it, in whose words, or that the agent took it back itself', () => {
  const denied = {
    status: 'denied',
    runId: 'r1',
    rule: 'approval: denied: x',
    by: 'cli:root',
  } as const;
  const reason = 'use the staging host, please';
  assert.equal(
    formatOutcome({ ...denied, cause: 'person', reason }),
    'A person (root) denied it: "use the staging host, please". Nothing was started.',
  );
  assert.equal(
    formatOutcome({ ...denied, cause: 'person', by: 'device:x' }),
    'A person (device:x) denied it. Nothing was started.',
  );
  assert.equal(
    formatOutcome({ ...denied, cause: 'withdrawn', by: 'mcp:a' }),
    'You took it back. Nothing was started.',
  );
  assert.match(formatOutcome({ ...denied, cause: 'expired' }), /^Nobody decided in time\./);
  assert.equal(
    formatOutcome({ ...denied, cause: 'policy', rule: 'security: deny', by: 'policy' }),
    'Denied by policy: security: deny. Nothing was started.',
  );
});

test('only what never took place is an error of the tool', () => {
  assert.equal(isRefusal(completed), false);
  assert.equal(isRefusal(failed), false);
  assert.equal(isRefusal({ ...failed, kind: 'command-not-found', exitCode: 127 }), false);
  assert.equal(isRefusal({ ...failed, kind: 'command-not-found' }), true);
  assert.equal(isRefusal({ ...failed, kind: 'spawn-error' }), true);
  assert.equal(isRefusal({ status: 'denied', cause: 'policy', rule: 'x', by: 'policy' }), true);
  const changed = { status: 'denied', cause: 'changed', runId: 'a', rule: 'x', by: 'c' } as const;
  const again = formatOutcome({ ...changed, askedAgain: { approvalId: 'n', runId: 'next' } });
  assert.match(
    again,
    /^Denied by c: x. Nothing was started.\n.*clf allow n .*poll","runId":"next"/,
  );
});

test('a page beyond the end says how many lines there are', () => {
  const text = formatProcessResult({
    action: 'log',
    runId: 'r1',
    text: '',
    encoding: 'text',
    firstLine: 50,
    lines: 0,
    totalLines: 9,
    cursor: 'c3',
    isEnd: true,
    droppedBytes: 0,
    damagedBytes: 0,
    isTailLost: false,
  });
  assert.match(text, /^No line 50: there are 9, from 0; nothing follows so far \(cursor c3\)\./);
});

test('every action has a text', () => {
  const runId = 'r1';
  const reason = 'manual-cancel' as const;
  const ended = { runId, isGone: true, survivors: [], reason };
  const results: readonly (readonly [ProcessResult, RegExp])[] = [
    [{ action: 'list', runs: [], isMore: false }, /^There are no runs\.$/],
    [{ ...completed, action: 'poll' }, /^Exit code 3/],
    [
      {
        action: 'log',
        runId,
        text: 'a\nb',
        encoding: 'text',
        firstLine: 4,
        lines: 2,
        totalLines: 9,
        cursor: 'c3',
        isEnd: false,
        droppedBytes: 0,
        damagedBytes: 0,
        isTailLost: false,
      },
      /^Lines 4 to 5 of 9, from 0; what follows: process \{"action":"log","runId":"r1","offset":6\}\.\n\na\nb$/,
    ],
    [
      {
        action: 'screen',
        runId,
        cols: 80,
        rows: 24,
        lines: ['$ ls', '', ''],
        cursor: { row: 1, column: 0, isVisible: true },
        title: 'sh',
        isAlternate: false,
        isRunning: true,
      },
      /^80×24, cursor in row 1, column 0 \(from 0\), title "sh", running\.\n\n\$ ls$/,
    ],
    [{ action: 'write', runId, bytes: 3, isEof: true }, /3 bytes written, and stdin is closed/],
    [{ action: 'send-keys', runId, bytes: 3 }, /3 bytes sent.*screen/],
    [{ action: 'submit', runId }, /Enter sent\..*poll.*screen/],
    [{ action: 'paste', runId, bytes: 3, isBracketed: true }, /as one piece/],
    [{ action: 'resize', runId, cols: 10, rows: 5 }, /10 columns and 5 rows/],
    [{ action: 'signal', runId, signal: 'SIGHUP' }, /SIGHUP sent/],
    [{ action: 'kill', ...ended }, /gone, with everything it started \(manual-cancel\)/],
    [
      { action: 'kill', ...ended, isGone: false, survivors: [{ pid: 9, name: 'dd' }] },
      /dd \(pid 9\)/,
    ],
    [{ action: 'clear', runId }, /off the list, with its output/],
    [{ action: 'remove', ...ended }, /off the list/],
  ];
  for (const [result, text] of results) assert.match(formatProcessResult(result), text);
});

test('a client cannot hide what it is called behind odd characters', () => {
  assert.equal(requesterOf('claude-code'), 'mcp:claude-code');
  assert.equal(requesterOf('evil\u202e\u001b[31m\nlocal'), 'mcp:evil-31m-local');
  assert.equal(requesterOf('   '), 'mcp:unnamed');
  assert.equal(requesterOf(undefined), 'mcp:unnamed');
  assert.equal(requesterOf('x'.repeat(1_000)).length, 68);
});
