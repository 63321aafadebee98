/*
 * What `clf allow` and `clf deny` say of an answer to an agent, wherever it was given.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerAsk } from '../../src/threads/answer-ask.ts';
import { type AskBody, type AskDesk, decidedError } from '../../src/threads/ask-desk.ts';
import type { Ask } from '../../src/threads/thread-types.ts';
import { createFakeIo } from '../support/fake-io.ts';

const permission: Ask = {
  id: '0123456789abcdef',
  thread_id: 'thread',
  turn_id: null,
  agent: 'fake',
  class: 'permission',
  state: 'open',
  title: 'rm \u202ex',
  options: [{ option_id: 'yes', name: 'Yes', kind: 'allow_once' }],
  params: {},
  digest: '0'.repeat(64),
  asked_at: '2026-11-18T00:00:00.000Z',
  decided_by: null,
  decided_at: null,
};
const question: Ask = { ...permission, class: 'question', title: 'which?', options: [] };
const allow = { decision: 'allow-once', flag: '' } as const;
const deny = { decision: 'deny', flag: '' } as const;

function deskThat(answer: AskDesk['answer']): AskDesk {
  const list = async () => [permission];
  return { list, listAll: list, get: async () => permission, answer };
}

test('it is answered by its option, and said so', async () => {
  const io = createFakeIo();
  const sent: AskBody[] = [];
  const desk = deskThat(async (ask, body) => {
    sent.push(body);
    return { ask: { ...ask, state: 'answered' } };
  });
  await answerAsk({ io, isJson: false }, desk, { ask: permission, wish: allow });
  await answerAsk({ io, isJson: false }, desk, { ask: question, wish: deny });
  // Each with the digest of what was shown.
  const { digest } = permission;
  assert.deepEqual(sent, [
    { option_id: 'yes', digest },
    { action: 'decline', digest },
  ]);
  assert.match(io.out(), /^\w+ answered "Yes": rm \\u202ex\n\w+ declined: which\?\n$/);
  assert.equal(io.err(), '');
});

test('an answer that is stored and not delivered is told as such', async () => {
  const io = createFakeIo();
  const desk = deskThat(async (ask) => ({ ask, undelivered: 'its shim does not answer' }));
  await answerAsk({ io, isJson: false }, desk, { ask: permission, wish: allow });
  assert.match(io.out(), /answered "Yes"/);
  assert.match(
    io.err(),
    /may not have the answer yet \(its shim does not answer\); the next gateway/,
  );
});

test('one that was answered before is refused, and a question is not allowed', async () => {
  const io = createFakeIo();
  const desk = deskThat(async (ask) => {
    throw decidedError(ask);
  });
  const context = { io, isJson: false };
  await assert.rejects(answerAsk(context, desk, { ask: permission, wish: allow }), {
    code: 'approval-decided',
  });
  await assert.rejects(answerAsk(context, desk, { ask: question, wish: allow }), {
    code: 'usage',
    hint: /clf threads follow thread\. .* clf deny 0123456789abcdef/,
  });
  assert.equal(io.out(), '');
});
