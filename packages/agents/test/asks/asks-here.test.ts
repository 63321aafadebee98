/*
 * What an agent asks without a gateway: found in the journal, noted once, answered once, delivered once, and found by whoever consumes the
 * same lines later (W6, X4).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endRun, noText } from '@clawdfather/agents';
import { AskedAgent, chunk, line, permission, turnEnd, withdrawn } from '../support/asked-agent.ts';
import { aRunId } from '../support/thread-model.ts';

const yes = { answer: { kind: 'option', optionId: 'yes' }, actor: 'cli:ann' } as const;
const no = { answer: { kind: 'option', optionId: 'no' }, actor: 'cli:bob' } as const;

async function onlyAsk(agent: AskedAgent) {
  const [found, ...others] = await agent.asks.list();
  assert.ok(found);
  assert.deepEqual(others, []);
  return found;
}

const answerLines = (agent: AskedAgent): readonly string[] =>
  agent.input.split('\n').filter((one) => one.includes('"outcome"'));

test('a line that is read twice, and then consumed, is one card with one event', async () => {
  const agent = new AskedAgent();
  agent.say(chunk('so '), permission(0));
  const { cursor } = agent.rows.run ?? {};
  const { ask } = await onlyAsk(agent);
  assert.deepEqual([ask.state, ask.turnId, ask.askedAtMs], ['open', 'turn', 1_003]);
  assert.equal((await onlyAsk(agent)).ask.id, ask.id);
  assert.equal(agent.rows.run?.cursor, cursor, 'the cursor stays');
  agent.consume();
  assert.equal((await onlyAsk(agent)).ask.id, ask.id);
  assert.deepEqual([...agent.rows.asks.keys()], [ask.id]);
  assert.equal(agent.rows.asks.get(ask.id)?.notedAheadAtMs, undefined);
  assert.deepEqual(agent.states(), ['open']);
  assert.equal((await agent.asks.answer(await onlyAsk(agent), yes)).outcome, 'answered');
  assert.deepEqual(agent.states(), ['open', 'answered']);
  assert.deepEqual(await agent.asks.list(), []);
});

test('answered, delivered, and consumed later: it stays answered, and the turn ends', async () => {
  const agent = new AskedAgent();
  agent.say(chunk('so '), permission(0), chunk('then '));
  const found = await onlyAsk(agent);
  const answered = await agent.asks.answer(found, yes);
  assert.deepEqual(answered, { outcome: 'answered', undelivered: undefined });
  assert.equal(agent.input, agent.committed(), 'with all that was committed before it');
  assert.deepEqual(await agent.asks.list(), [], 'its line is still ahead');
  agent.say(chunk('done'), turnEnd);
  agent.consume();
  assert.deepEqual(agent.states(), ['open', 'answered']);
  assert.deepEqual([...agent.rows.asks.keys()], [], 'it is not loaded any more');
  const { decision, state } = agent.stored.get(found.ask.id) ?? {};
  assert.deepEqual([state, decision?.actor], ['answered', 'cli:ann']);
  assert.equal(agent.model.endedTurns[0]?.status, 'completed');
  const text = agent.model.events.filter(({ type }) => type === 'delta');
  assert.deepEqual(
    text.map(({ payload }) => payload['text']),
    ['so then done'],
  );
  assert.deepEqual(
    agent.model.events.map(({ seq }) => seq),
    agent.model.events.map((_, index) => index + 1),
  );
  assert.equal(answerLines(agent).length, 1);
});

test('its id is the one that its line gives it, wherever the journal was cut', async () => {
  const bytes = Buffer.from(`${chunk('ä\u{1f600}')}${permission(0)}${permission('0', 'ü')}`);
  for (let at = 0; at <= bytes.length; at += 1) {
    const agent = new AskedAgent();
    agent.say(...[bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0));
    const ids = (await agent.asks.list()).map(({ ask }) => ask.id);
    const fresh = new AskedAgent();
    fresh.say(...[bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0));
    fresh.consume();
    assert.deepEqual(ids, [...fresh.rows.asks.keys()], `cut at ${at}`);
    agent.consume();
    assert.deepEqual(agent.states(), ['open', 'open']);
  }
});

test('what was withdrawn is not asked any more, stored or not', async () => {
  const agent = new AskedAgent();
  agent.say(permission(0));
  agent.consume();
  const stored = await onlyAsk(agent);
  agent.say(permission('new'), withdrawn('new'), withdrawn(0));
  assert.deepEqual(await agent.asks.list(), []);
  assert.deepEqual(await agent.asks.answer(stored, yes), { outcome: 'ask-decided' });
  agent.consume();
  assert.deepEqual(agent.states(), ['open', 'open', 'withdrawn', 'withdrawn']);
  assert.deepEqual(answerLines(agent), []);
});

test('an agent that uses its ids again: withdrawing the first leaves the second', async () => {
  const agent = new AskedAgent();
  agent.say(permission(0, 'first'), withdrawn(0), permission(0, 'second'));
  const found = await onlyAsk(agent);
  assert.deepEqual(found.ask.params['toolCall'], { title: 'second' });
  agent.consume();
  assert.equal(agent.stored.get(found.ask.id)?.state, 'open');
  assert.equal((await agent.asks.answer(await onlyAsk(agent), no)).outcome, 'answered');
  assert.deepEqual(agent.states(), ['open', 'open', 'withdrawn', 'answered']);
});

test('with its turn it is over; what is asked outside of a turn waits', async () => {
  const agent = new AskedAgent();
  agent.say(permission(0), turnEnd, permission(1, 'later'));
  const found = await onlyAsk(agent);
  assert.deepEqual(
    [found.ask.params['toolCall'], found.ask.turnId],
    [{ title: 'later' }, undefined],
  );
  assert.equal((await agent.asks.answer(found, yes)).outcome, 'answered');
  agent.consume();
  assert.deepEqual([...agent.rows.asks.keys()], []);
  const states = new Map([...agent.stored.values()].map(({ wireId, state }) => [wireId, state]));
  assert.deepEqual([states.get(0), states.get(1)], ['void', 'answered']);
});

test('an agent that has ended waits for nothing', async () => {
  const agent = new AskedAgent();
  agent.say(permission(0));
  const found = await onlyAsk(agent);
  agent.hasEnded = true;
  assert.deepEqual(await agent.asks.list(), []);
  assert.deepEqual(await agent.asks.answer(found, yes), { outcome: 'ask-decided' });
  agent.consume();
  const end = { runId: aRunId, reason: 'signal', message: 'killed', endedAtMs: 60 } as const;
  agent.model.commit(endRun(agent.rows, { ...end, state: 'closed' }, { text: noText(), atMs: 61 }));
  assert.deepEqual(agent.states(), ['open', 'void']);
  assert.equal((await agent.asks.find(found))?.ask.id, found.ask.id);
});

test('two who answer at once: one is told that it is decided, and the agent hears one', async () => {
  const agent = new AskedAgent();
  agent.say(permission(0));
  const found = await onlyAsk(agent);
  const outcomes = await Promise.all([agent.asks.answer(found, yes), agent.asks.answer(found, no)]);
  const told = outcomes.map(({ outcome }) => outcome);
  assert.deepEqual(told.toSorted(), ['answered', 'ask-decided']);
  assert.equal(answerLines(agent).length, 1);
  agent.consume();
  assert.deepEqual(agent.states(), ['open', 'answered']);
});

test('a gateway that comes back in the middle: one card, one answer', async () => {
  for (const when of ['noting', 'answering'] as const) {
    const agent = new AskedAgent();
    agent.say(chunk('so '), permission(0), chunk('then'));
    if (when === 'noting') agent.beforeCommit = () => agent.consume();
    const found = await onlyAsk(agent);
    if (when === 'answering') agent.beforeCommit = () => agent.consume();
    assert.equal((await agent.asks.answer(found, yes)).outcome, 'answered', when);
    agent.consume();
    assert.deepEqual(agent.states(), ['open', 'answered'], when);
    assert.equal(answerLines(agent).length, 1, when);
    assert.equal(agent.input, agent.committed(), when);
  }
});

test('killed between the answer and its delivery: the next look delivers it, and refuses', async () => {
  const agent = new AskedAgent();
  agent.say(permission(0));
  const found = await onlyAsk(agent);
  agent.deafBecause = new Error('its shim does not answer');
  const first = await agent.asks.answer(found, yes);
  assert.deepEqual(first, { outcome: 'answered', undelivered: agent.deafBecause });
  assert.equal(agent.input, '');
  agent.deafBecause = undefined;
  assert.deepEqual(await agent.asks.answer(found, no), { outcome: 'ask-decided' });
  assert.equal(agent.input, agent.committed());
  assert.match(answerLines(agent)[0] ?? '', /"optionId":"yes"/);
});

test('what does not fit is refused and changes nothing', async () => {
  const agent = new AskedAgent();
  const question = { message: 'which?', requestedSchema: { type: 'object' } };
  agent.say(permission(0), line({ id: 1, method: 'elicitation/create', params: question }));
  const [asked, other] = await agent.asks.list();
  assert.ok(asked && other);
  const wrong = { answer: { kind: 'option', optionId: 'perhaps' }, actor: 'cli:ann' } as const;
  assert.deepEqual(await agent.asks.answer(asked, wrong), { outcome: 'option-not-offered' });
  assert.deepEqual(await agent.asks.answer(other, yes), { outcome: 'answer-unfit' });
  assert.deepEqual(agent.states(), ['open', 'open']);
  const declined = { answer: { kind: 'decline' }, actor: 'cli:ann' } as const;
  assert.equal((await agent.asks.answer(other, declined)).outcome, 'answered');
  assert.match(agent.input, /"id":1,"result":\{"action":"decline"\}/);
});
