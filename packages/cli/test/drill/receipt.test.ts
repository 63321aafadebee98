/*
 * A drill's receipt is good only if everything is as the seed says: each kind of loss is a problem with a sentence of its own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnswer } from '../../src/drill/answer-text.ts';
import { createReceipt, formatReceipt, type TurnEvidence } from '../../src/drill/receipt.ts';
import { createPaint } from '../../src/render/paint.ts';

const answer = createAnswer('seed');
const text = answer.pieces.join('');
const seen = { text, lastSeq: 9, holes: 0, status: 'completed' };
const good: TurnEvidence = {
  expected: answer,
  said: answer,
  watched: seen,
  stored: seen,
  bytesBeforeKill: 10,
  gatewayPids: [1, 2],
  generations: [1, 2],
  agentPids: [7, 7],
  withoutGatewayMs: 600.4,
};

test('a turn of which nothing was lost is proven', () => {
  const receipt = createReceipt(good);
  assert.deepEqual([receipt.isProven, receipt.problems], [true, []]);
  assert.equal(receipt.bytes, Buffer.byteLength(text));
  assert.match(formatReceipt(receipt, createPaint(false)), /\nNothing was lost/);
});

test('whatever was lost, doubled or started anew is told', () => {
  const doubled = { ...seen, text: text.replace('7 ', '7 7 ') };
  const wrong: readonly (readonly [Partial<TurnEvidence>, RegExp])[] = [
    [{ said: createAnswer('another') }, /did not say all/],
    [{ watched: { ...seen, text: text.slice(0, -1) } }, /that was watched/],
    [{ stored: doubled }, /that is stored/],
    [{ stored: { ...seen, holes: 1 } }, /numbers of events/],
    [{ watched: { ...seen, status: 'interrupted' } }, /the turn is interrupted/],
    [{ agentPids: [7, undefined] }, /another process/],
    [{ generations: [1, 1] }, /not taken over/],
    [{ bytesBeforeKill: answer.bytes }, /came after the answer/],
  ];
  for (const [change, problem] of wrong) {
    const receipt = createReceipt({ ...good, ...change });
    assert.equal(receipt.isProven, false);
    assert.equal(receipt.problems.length, 1);
    assert.match(receipt.problems[0] ?? '', problem);
    const page = formatReceipt(receipt, createPaint(false));
    assert.match(page, /\nFAILED/);
    assert.doesNotMatch(page, /Nothing was lost/);
  }
});
