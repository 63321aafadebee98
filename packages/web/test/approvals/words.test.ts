/*
 * What a card says: times by the gateway's clock, commands whole, who decided, and what an agent asks with everything that it sent.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOfAsk } from '../../src/approvals/ask-facts.ts';
import { leaningOf, sortOptions, wordOfOption } from '../../src/approvals/ask-options.ts';
import { ageMsOf, expiryNotice, leftMsOf, shareLeftOf } from '../../src/approvals/expiry.ts';
import { outcomeOf, outcomeOfAsk } from '../../src/approvals/outcome-words.ts';
import type { Ask } from '../../src/text/thread-words.ts';
import { commandText } from '../../src/approvals/shown-command.ts';
import { askerWords, whoWords } from '../../src/approvals/who-words.ts';

const minuteMs = 60_000;

test('what is left is counted from the age that the gateway has said, and never goes below nothing', () => {
  const waiting = {
    createdAtMs: 1_000_000,
    expiresAtMs: 1_000_000 + 30 * minuteMs,
    ageMs: 10 * minuteMs,
    readAtMs: 500,
  };
  assert.equal(leftMsOf(waiting, 500), 20 * minuteMs);
  assert.equal(ageMsOf(waiting, 500 + minuteMs), 11 * minuteMs);
  assert.equal(shareLeftOf(waiting, 500 + 5 * minuteMs), 0.5);
  assert.equal(leftMsOf(waiting, 500 + 60 * minuteMs), 0);
});

test('the end is told five minutes and one minute before, and when it is there', () => {
  const told = [6, 5, 2, 1, 0.5, 0].map((minutes) => expiryNotice(minutes * minuteMs));
  assert.deepEqual(new Set(told).size, 4);
  assert.equal(told[0], '');
  assert.match(told[1] ?? '', /five minutes/);
  assert.equal(told[1], told[2]);
  assert.match(told[3] ?? '', /a minute/);
  assert.match(told[5] ?? '', /expired/);
});

test('arguments that would read as several are quoted; a line stays as it is', () => {
  assert.equal(commandText({ line: 'a  b', argv: null }), 'a  b');
  assert.equal(
    commandText({ line: null, argv: ['git', 'commit', '-m', "it's done", '', '--x=1'] }),
    `git commit -m 'it'\\''s done' '' --x=1`,
  );
});

test('who decided is said by the name of the device', () => {
  const devices = [
    { id: 'a', device: 'laptop', is_current: false },
    { id: 'b', device: 'phone', is_current: true },
  ];
  assert.equal(whoWords('device:a', devices), 'you, on “laptop”');
  assert.equal(whoWords('device:b', devices), 'you, on this device');
  assert.equal(whoWords('device:c', devices), 'a device that is signed out');
  assert.equal(whoWords('cli:ann', devices), 'ann, in the terminal');
  assert.equal(whoWords(null, devices), 'somebody');
});

test('who asked is said by the name of the token or device, not by its id', () => {
  assert.equal(askerWords('token:mkkr1jyh99kjrh6e', 'bot2'), 'the token “bot2”');
  assert.equal(askerWords('device:a', 'phone'), 'the device “phone”');
  assert.equal(askerWords('codex token:a', 'bot2'), 'codex, with the token “bot2”');
  assert.equal(askerWords('cli:ann', null), 'cli:ann');
});

test('each end of an approval and of an ask has its sentence, and what is open has none', () => {
  const of = (state: Parameters<typeof outcomeOf>[0]['state']) =>
    outcomeOf({ state, changed: 'a.sh has changed', askedAgainAs: 'x' }, 'ann', '14:02');
  assert.equal(of('pending'), undefined);
  assert.equal(of('started')?.text, 'Allowed by ann, 14:02.');
  assert.equal(of('denied')?.text, 'Denied by ann, 14:02.');
  assert.match(of('expired')?.text ?? '', /in time/);
  assert.equal(of('changed')?.text, 'Nothing started: a.sh has changed. It was asked again.');
  const states = ['open', 'acting', 'answered', 'withdrawn', 'void'] as const;
  const ends = states.map((state) => outcomeOfAsk({ state }, 'ann', '14:02')?.word);
  assert.deepEqual(ends, [undefined, 'allowed', 'answered', 'withdrawn', 'over']);
});

test('an answer to an agent says whether it allowed or denied, and nothing good of what is not known to allow', () => {
  const of = (kind: Ask['answer_kind']) => {
    const { word, mood, text } =
      outcomeOfAsk({ state: 'answered', answer_kind: kind }, 'ann', '14:02') ?? assert.fail();
    return `${word} ${mood}: ${text}`;
  };
  assert.equal(of('allow_once'), 'allowed good: Allowed by ann, 14:02.');
  assert.equal(of('allow_always'), 'allowed always good: Allowed always by ann, 14:02.');
  assert.equal(of('reject_once'), 'denied bad: Denied by ann, 14:02.');
  assert.equal(of('reject_always'), 'denied always bad: Denied always by ann, 14:02.');
  assert.equal(of('accept'), 'answered plain: Answered by ann, 14:02.');
  assert.equal(of('decline'), 'declined plain: Declined by ann, 14:02.');
  assert.equal(of('cancel'), 'dropped plain: Dropped by ann, 14:02.');
  assert.equal(of('other'), 'answered plain: Answered by ann, 14:02.');
  assert.equal(of(undefined), 'answered plain: Answered by ann, 14:02.');
});

test('the words of the buttons are ours, whatever an agent calls its options', () => {
  const options = [
    { option_id: '1', name: 'Yes, always', kind: 'allow_always' },
    { option_id: '2', name: 'Deny', kind: 'allow_once' },
    { option_id: '3', name: 'No', kind: 'reject_once' },
    { option_id: '4', name: 'Hm', kind: 'something_new' },
  ];
  const { allow, deny, others } = sortOptions(options);
  assert.deepEqual([allow?.option_id, deny?.option_id], ['2', '3']);
  assert.deepEqual(
    others.map(({ option_id: id }) => id),
    ['1', '4'],
  );
  assert.deepEqual(options.map(wordOfOption), ['Allow always', 'Allow once', 'Deny', 'Answer']);
  // What is not known to deny is taken to allow: it has to be read first.
  assert.deepEqual(options.map(leaningOf), ['allows', 'allows', 'denies', 'allows']);
});

function askOf(over: Partial<Ask>): Ask {
  return {
    id: 'a',
    thread_id: 't',
    turn_id: null,
    agent: 'echo',
    class: 'permission',
    state: 'open',
    title: '',
    options: [],
    params: {},
    digest: 'd',
    asked_at: '',
    decided_by: null,
    decided_at: null,
    ...over,
  };
}

test('a title cannot stand for another command: the command itself comes first, with its hidden characters', () => {
  const toolCall = {
    toolCallId: 'x',
    title: 'List files',
    rawInput: { command: 'rm -rf \u202e/', cwd: '/srv', timeout: 5 },
  };
  assert.deepEqual(factsOfAsk(askOf({ title: 'List files', params: { toolCall } })), {
    exact: 'rm -rf \\u202e/',
    parts: [
      { name: 'says', text: 'List files' },
      { name: 'cwd', text: '/srv' },
      { name: 'timeout', text: '5' },
    ],
  });
});

test('what would be written is shown whole, and long commands of an effect are not cut', () => {
  const content = [{ type: 'diff', path: 'a.ts', oldText: 'one\n', newText: 'one\u200b\ntwo\n' }];
  const facts = factsOfAsk(askOf({ title: 'Edit a.ts', params: { toolCall: { content } } }));
  assert.deepEqual(facts.parts, [{ name: 'writes a.ts', text: '− one\n+ one\\u200b\n+ two\n' }]);
  const args = ['x'.repeat(9_000), 'end'];
  const effect = factsOfAsk(
    askOf({ class: 'effect', title: 'run sh', params: { command: 'sh', args, sessionId: 's' } }),
  );
  assert.ok(effect.exact.startsWith('sh xxx') && effect.exact.endsWith(' end'));
});
