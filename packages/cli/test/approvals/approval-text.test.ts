/*
 * What a person sees of an approval: all of it, and nothing that the command could fake.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type ApprovalState, approvalStates } from '@clawdfather/protocol';
import type { ApprovalRecord, ProposedAction } from '@clawdfather/tools';
import { approvalJson } from '../../src/approvals/approval-json.ts';
import { formatCommandLines, formatEnd } from '../../src/approvals/approval-text.ts';
import { formatWaiting } from '../../src/threads/ask-text.ts';
import { findApproval } from '../../src/approvals/find-approval.ts';
import { createPaint } from '../../src/render/paint.ts';

const line = (text: string, shell = '/bin/sh') => ({ kind: 'line', shell, line: text }) as const;

function recordOf(
  command: ProposedAction['command'],
  parts: Partial<ApprovalRecord> = {},
): ApprovalRecord {
  const envAdditions = { CI: '1', NOTE: 'a\u001b[2Kb' };
  return {
    approvalId: '7q3m0c5vd2k1aaaa',
    runId: 'w4h1kz9d3xjqbbbb',
    state: 'pending',
    actionHash: '',
    account: 'local',
    host: 'local',
    cwd: '/srv/site',
    command,
    labels: {},
    droppedBytes: undefined,
    binding: undefined,
    changed: undefined,
    askedAgainAs: undefined,
    action: { command, cwd: '/srv/site', envAdditions, host: 'local', account: 'local' },
    request: '{"env":{"SECRET":"1"}}',
    requester: 'mcp:some\u202eagent',
    why: '/usr/bin/npm is not on the allowlist',
    createdAtMs: 1_000,
    expiresAtMs: 1_801_000,
    decision: undefined,
    decidedBy: undefined,
    decidedAtMs: undefined,
    reason: undefined,
    ...parts,
  };
}

const format = (record: ApprovalRecord, isAll = false, columnsMax?: number): string =>
  formatWaiting([record], [], {
    paint: createPaint(false),
    nowMs: 9_000,
    isAll,
    columnsMax,
    ownAccounts: ['local', 'cli'],
  });

test('facts, the whole command, additions and the reason', () => {
  const long = `npm publish ${'x'.repeat(500)} --access public`;
  const text = format(recordOf(line(long)));
  assert.equal(
    text,
    [
      'ID            AGE     EXPIRES IN  ASKED BY             DIRECTORY',
      '7q3m0c5vd2k1  8s ago  29m52s      mcp:some\\u202eagent  /srv/site',
      `  $ ${long}`,
      '  with CI=1',
      '  with NOTE=a\\x1b[2Kb',
      '  asked about because /usr/bin/npm is not on the allowlist',
      '',
    ].join('\n'),
  );
});

test('a command of several lines cannot pass for what we say about it', () => {
  const fake = 'ls\n  asked about because it is harmless\nID            AGE\u001b[1A';
  const lines = format(recordOf(line(fake))).split('\n');
  assert.deepEqual(lines.slice(2, 6), [
    '  $ ls',
    '  >   asked about because it is harmless',
    String.raw`  > ID            AGE\x1b[1A`,
    String.raw`  it has invisible characters, shown as \x… and \u…`,
  ]);
});

test('a line that is wider than the terminal cannot pass for what we say where it wraps', () => {
  const fake = `npm publish #${' '.repeat(23)}  asked about because it is harmless`;
  const record = recordOf(line(fake));
  const action = { ...record.action, envAdditions: { A: 'x'.repeat(40) } };
  const rows = format({ ...record, action }, false, 40)
    .split('\n')
    .slice(2);
  assert.deepEqual(rows, [
    `  $ npm publish #${' '.repeat(23)}`,
    '  |   asked about because it is harmless',
    `  with A=${'x'.repeat(31)}`,
    `     | ${'x'.repeat(9)}`,
    '  asked about because /usr/bin/npm is not on the allowlist',
    '',
  ]);
});

test('what it is given to read is shown whole, each line with a mark, as it may be the command', () => {
  const record = recordOf({ kind: 'argv', argv: ['/bin/sh'] });
  const stdin = 'rm -rf x\n\n  asked about because it is harmless\u202e\n';
  const action = { ...record.action, envAdditions: {}, stdin };
  assert.deepEqual(
    format({ ...record, action })
      .split('\n')
      .slice(2, -2),
    [
      '  $ /bin/sh',
      String.raw`  it has invisible characters, shown as \x… and \u…`,
      '  with this as its input:',
      '  < rm -rf x',
      '  < ',
      String.raw`  <   asked about because it is harmless\u202e`,
    ],
  );
  assert.equal(approvalJson({ ...record, action }, '/state')['stdin'], stdin);
  assert.equal(approvalJson(record, '/state')['stdin'], null);
});

test('words of a program are told apart, hidden characters and backslashes too', () => {
  const command = { kind: 'argv', argv: ['echo', 'a b', "it's", 'a\\nb', 'a\nb', ''] } as const;
  assert.deepEqual(formatCommandLines(command), [
    String.raw`echo 'a b' 'it'\''s' 'a\nb' $'a\nb' ''`,
  ]);
  const both = { kind: 'argv', argv: ['echo', 'x\\n\n'] } as const;
  assert.deepEqual(formatCommandLines(both), [String.raw`echo $'x\\n\n'`]);
  assert.deepEqual(formatCommandLines(line('ls', '/bin/bash')), ['/bin/bash -c: ls']);
});

test('each end is told', () => {
  const told = (state: ApprovalState, parts: Partial<ApprovalRecord> = {}) =>
    formatEnd(recordOf(line('ls'), { state, decidedBy: 'cli:ann', ...parts }));
  assert.equal(told('pending'), undefined);
  assert.equal(told('started'), 'allowed by cli:ann, started as run w4h1kz9d3xjqbbbb');
  assert.equal(told('denied', { reason: 'no' }), 'denied by cli:ann: no');
  assert.match(told('expired') ?? '', /nobody decided/);
  assert.match(told('expired', { decision: 'allow-once' }) ?? '', /nobody started/);
  for (const state of approvalStates)
    assert.match(format(recordOf(line('ls'), { state }), true), RegExp(state));
});

test('a request of another account says whose it is; one of your own at the gateway is none', () => {
  const own = format(recordOf(line('ls')));
  assert.doesNotMatch(own, /another account|at the gateway/);
  const other = format(recordOf(line('ls'), { account: 'member\u202e1' }));
  assert.match(other, /asked for by another account: member\\u202e1\n/);
  const asker = { name: 'my-agent', isOwner: true };
  const mine = format(recordOf(line('ls'), { account: 'm5z6', asker, requester: 'mcp:x token:7' }));
  assert.match(mine, / mcp:x \(token my-agent\) +\/srv\/site\n/);
  assert.match(mine, /asked for at the gateway, account Owner \(yours\)\n/);
  assert.doesNotMatch(mine, /another account/);
  const member = recordOf(line('ls'), { account: 'm5z6', asker: { ...asker, isOwner: false } });
  assert.match(
    format({ ...member, requester: 'token:7' }),
    / token my-agent .*\n.*\n.*\n.*\n.*by another account: m5z6/,
  );
});

test('what is decided says how long ago; what is allowed and not started is on the list', () => {
  const decided = { decidedBy: 'cli:ann', decidedAtMs: 4_000 };
  const denied = format(recordOf(line('ls'), { state: 'denied', ...decided, reason: 'no' }), true);
  assert.match(denied, / {2}denied by cli:ann 5s ago: no\n/);
  const allowed = format(recordOf(line('ls'), { state: 'allowed', ...decided }));
  assert.match(allowed, /8s ago {2}allowed +/);
  assert.match(allowed, / {2}allowed by cli:ann 5s ago, not started yet\n/);
});

test('every field of the JSON is in the manual, and the stored request is not among them', () => {
  const json = approvalJson(recordOf(line('ls')), '/state');
  const page = readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8');
  for (const name of [...Object.keys(json), 'rules']) assert.ok(page.includes(`\`${name}\``), name);
  assert.ok(!JSON.stringify(json).includes('SECRET'));
});

test('an approval is found by its id, by its run, or by a unique beginning of either', () => {
  const rows = [
    { approvalId: 'aaa1', runId: 'xxr1', state: 'pending' },
    { approvalId: 'aab2', runId: 'xyr2', state: 'pending' },
    { approvalId: 'bbb3', runId: 'bxr3', state: 'pending' },
  ];
  const store = {
    approval: (id: string) => rows.find(({ approvalId }) => approvalId === id),
    approvalOf: (id: string) => rows.find(({ runId }) => runId === id),
    list: ({ idPrefix = '', runIdPrefix = '' } = {}) =>
      rows.filter(
        ({ approvalId, runId }) => approvalId.startsWith(idPrefix) && runId.startsWith(runIdPrefix),
      ),
  } as unknown as Parameters<typeof findApproval>[0];
  assert.equal(findApproval(store, 'aaa1', '/state'), 'aaa1');
  assert.equal(findApproval(store, 'aab', '/state'), 'aab2');
  assert.equal(findApproval(store, 'xyr2', '/state'), 'aab2');
  assert.equal(findApproval(store, 'xy', '/state'), 'aab2');
  assert.equal(findApproval(store, 'b', '/state'), 'bbb3', 'it and its run begin alike');
  for (const typed of ['aa', 'x']) {
    assert.throws(() => findApproval(store, typed, '/state'), { code: 'approval-ambiguous' });
  }
  assert.throws(() => findApproval(store, 'zzz9', '/state'), { code: 'approval-not-found' });
  assert.throws(() => findApproval(store, 'abb3', '/state'), { hint: 'Did you mean bbb3?' });
  // Whoever looks into the wrong directory is told into which.
  assert.throws(() => findApproval(store, 'zzz9', '/state'), {
    message: 'no approval is called "zzz9" in /state',
    hint: /--state-dir DIR/,
  });
});
