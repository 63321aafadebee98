/*
 * What of a conversation is shown where, as pure text.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaint } from '../../src/render/paint.ts';
import { factOf } from '../../src/threads/thread-fact.ts';
import type { ThreadEvent } from '../../src/threads/thread-types.ts';
import { Transcript } from '../../src/threads/transcript.ts';

type Shown = readonly [type: ThreadEvent['type'], payload: Record<string, unknown>];

const agent = (text: string): Shown => ['delta', { role: 'agent', text }];
const thought = (text: string): Shown => ['delta', { role: 'thought', text }];
const whole = (role = 'agent'): Shown => ['message', { role, bytes: 1, sha256: '' }];
const tool = (toolCallId: string, payload: object): Shown => ['tool', { toolCallId, ...payload }];
const ended: Shown = ['status', { event: 'completed', result: { code: 'success' } }];

const piped = { isOutTerminal: false, isErrTerminal: false };
const atTerminal = { isOutTerminal: true, isErrTerminal: true };

function shownOf(places: typeof piped, events: readonly (Shown | string)[], columns?: number) {
  const paint = createPaint(false);
  const transcript = new Transcript({ ...places, paint, columns, showsPrompts: true });
  const pieces = events.flatMap((event, seq) => {
    if (typeof event === 'string') return transcript.note(event);
    const [type, payload] = event;
    const fact = factOf({ seq, turn_id: 't', type, payload, at: '' });
    return fact === undefined ? [] : transcript.take(fact);
  });
  const to = (where: 'stdout' | 'stderr'): string =>
    pieces.flatMap((piece) => (piece.to === where ? [piece.text] : [])).join('');
  return {
    stdout: to('stdout'),
    stderr: to('stderr'),
    both: pieces.map(({ text }) => text).join(''),
  };
}

test('into a pipe the text goes as it is, and each message ends with a newline', () => {
  const { stdout, stderr } = shownOf(piped, [
    thought('hm'),
    whole('thought'),
    agent('\u001b[1mone\u202e'),
    agent(' two'),
    whole(),
    agent('three\n'),
    whole(),
    ended,
  ]);
  assert.deepEqual([stdout, stderr], ['\u001b[1mone\u202e two\nthree\n', '']);
});

test('a character that was cut in two is whole again', () => {
  assert.equal(
    shownOf(piped, [agent('a\ud83d'), agent('\ude00b'), whole()]).stdout,
    'a\u{1f600}b\n',
  );
  assert.equal(
    shownOf(atTerminal, [agent('a\ud83d'), agent('\ude00'), whole()]).stdout,
    'a\u{1f600}\n',
  );
});

test('a terminal gets no escape sequence, also one that was cut, and sees hidden characters', () => {
  const { stdout } = shownOf(atTerminal, [
    agent('a\u001b]0;ti'),
    agent('tle\u0007b\u202ec'),
    whole(),
  ]);
  assert.equal(stdout, 'ab\\u202ec\n');
});

test('a tool has one line: from its start at a terminal, else with its end', () => {
  const start = tool('a', { update: 'tool_call', title: 'make\u001b[2J', status: 'pending' });
  const end = tool('a', { update: 'tool_call_update', status: 'completed' });
  assert.equal(shownOf(piped, [start]).stderr, '');
  assert.equal(shownOf(piped, [start, end, end]).stderr, '> make\\x1b[2J: ok\n');
  assert.equal(shownOf(atTerminal, [start]).stderr, '> make\\x1b[2J');
  assert.equal(shownOf(atTerminal, [start, end]).stderr, '> make\\x1b[2J: ok\n');
  const other = tool('b', { title: 'cat', status: 'in_progress' });
  const failed = tool('b', { status: 'failed', title: 'cat x' });
  assert.equal(
    shownOf(atTerminal, [start, other, end, failed]).stderr,
    '> make\\x1b[2J\n> cat\n> make\\x1b[2J: ok\n> cat x: failed\n',
  );
  assert.equal(shownOf(piped, [start, ended]).stderr, '> make\\x1b[2J: not ended\n');
  assert.equal(shownOf(atTerminal, [tool('a', { title: 'm'.repeat(99) })], 40).stderr.length, 30);
});

test('at a terminal nothing of ours stands in the middle of a line of the agent', () => {
  const { both } = shownOf(atTerminal, [
    thought('hm'),
    agent('one'),
    'clf: connection lost\n',
    agent(' two'),
    tool('a', { title: 'make' }),
    agent('three'),
    whole(),
    ended,
  ]);
  assert.equal(both, 'hm\none\nclf: connection lost\n two\n> make\nthree\n> make: not ended\n');
});

test('where they are apart, the text is not cut by what we say', () => {
  const apart = { isOutTerminal: false, isErrTerminal: true };
  const { stdout, stderr } = shownOf(apart, [agent('one'), 'clf: lost\n', agent(' two'), whole()]);
  assert.deepEqual([stdout, stderr], ['one two\n', 'clf: lost\n']);
});

test('each line of a prompt has a mark', () => {
  const blocks = [{ type: 'text', text: 'a\nclf: b' }, { type: 'image' }];
  const { stderr } = shownOf(piped, [['message', { role: 'user', blocks }]]);
  assert.equal(stderr, '< a\n< clf: b\n< [image]\n');
});

test('a payload that is nonsense shows nothing and breaks nothing', () => {
  const types = ['delta', 'message', 'tool', 'approval', 'question', 'status', 'plan'] as const;
  for (const payload of [{}, { text: 7, role: [], toolCallId: {}, event: 1, blocks: [null, 7] }]) {
    const { stdout } = shownOf(
      atTerminal,
      types.map((type): Shown => [type, payload]),
    );
    assert.equal(stdout, '');
  }
});

test('a plan is shown once as a whole, and then what changes in it', () => {
  const plan = (...statuses: readonly string[]): Shown => [
    'plan',
    { entries: statuses.map((status, index) => ({ content: `step ${index}\u001b[2J`, status })) },
  ];
  const { stdout, stderr } = shownOf(piped, [
    plan('in_progress', 'pending'),
    agent('one'),
    plan('in_progress', 'pending'),
    plan('completed', 'in_progress'),
    plan('completed', 'in_progress', 'pending'),
    ended,
  ]);
  assert.equal(stdout, 'one\n');
  const [first, second] = ['step 0\\e[2J', 'step 1\\e[2J'];
  assert.deepEqual(
    stderr.split('\n').map((line) => line.replaceAll(/\\x1b|\\u001b|\\e/giu, '\\e')),
    [
      `[>] ${first}`,
      `[ ] ${second}`,
      `[x] ${first}`,
      `[>] ${second}`,
      `[x] ${first}`,
      `[>] ${second}`,
      '[ ] step 2\\e[2J',
      '',
    ],
  );
});
