/*
 * What an agent on a host asks us to do there, as decisions over rows (W14): which requests are served, who may decide on them, what is
 * recorded before anything happens, and what follows from the record after a crash.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AgentSetup,
  type AskRow,
  admitTurn,
  answerAsk,
  askFirst,
  beginRun,
  cancelTurn,
  consume,
  createWireReader,
  endRun,
  enqueueTurn,
  fileBytesMax,
  finishEffect,
  holdRun,
  type JsonObject,
  judgeWrite,
  noteEffect,
  noText,
} from '@clawdfather/agents';
import { createPaperJournal } from '../support/paper-journal.ts';
import { aRunId, ThreadModel } from '../support/thread-model.ts';

const process = { rootPid: 10, processGroupId: 10, startTicks: 1, bootId: 'boot' };
const onHost: AgentSetup = { clientVersion: '0', mcpServers: [], servesHost: true };

/* An agent that has said this one request while its turn runs. */
function asked(method: string, params: JsonObject, setup = onHost): ThreadModel {
  const model = new ThreadModel();
  const prompt = [{ type: 'text', text: 'hello' }];
  const turn = { id: 'turn', prompt, loadClass: 'long_task', requester: 'device:1' } as const;
  model.commit(enqueueTurn(model.rows, turn, 1));
  model.commit(admitTurn(model.rows, 2));
  const program = { programRoot: '/opt', programPath: '/opt/agent' };
  const run = { runId: aRunId, leaseId: 'l', instanceId: 'one', commandHash: 'hash', ...program };
  model.commit(beginRun(model.rows, { ...run, sessionId: 'session', cwd: '/there' }, 3));
  model.commit(holdRun(model.rows, { runId: aRunId, epoch: 1, process }, { setup, atMs: 4 }));
  const said = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  const lines = [
    said({ id: 1, result: { protocolVersion: 1 } }),
    said({ id: 2, result: { sessionId: 'native' } }),
    said({ id: 0, method, params }),
  ];
  const journal = createPaperJournal(
    lines.map((text) => ({ stream: 'stdout', bytes: Buffer.from(text) })),
  );
  let from = model.rows.run?.cursor;
  assert.ok(from !== undefined);
  const reader = createWireReader(from);
  for (const event of journal.readFrom(from)) {
    const steps = reader.push(event);
    if (steps.length === 0) continue;
    const batch = { runId: aRunId, epoch: 1, from, steps };
    const step = consume(model.rows, batch, { setup, text: noText(), atMs: 5 });
    assert.ok(step.outcome === 'consumed');
    model.commit(step.change);
    from = steps.at(-1)?.cursor ?? from;
  }
  return model;
}

function askOf({ rows }: ThreadModel): AskRow {
  const [ask, ...others] = rows.asks.values();
  assert.ok(ask !== undefined && others.length === 0);
  return ask;
}

function lastFrame({ frames }: ThreadModel) {
  return JSON.parse(frames.at(-1)?.text ?? '') as { id: number; error?: { code: number } };
}

const write = { sessionId: 'native', path: '/a', content: 'new' };
const oldHash = 'a'.repeat(64);
const newHash = 'b'.repeat(64);

test('what follows from a record: the new one is there, the old one, or neither', () => {
  const effect = { kind: 'write', oldHash, newHash } as const;
  assert.equal(judgeWrite(effect, newHash), 'done');
  assert.equal(judgeWrite(effect, oldHash), 'write');
  assert.equal(judgeWrite(effect, 'c'.repeat(64)), 'uncertain');
  assert.equal(judgeWrite(effect, undefined), 'uncertain', 'somebody has removed it');
  const made = { kind: 'write', newHash } as const;
  assert.equal(judgeWrite(made, undefined), 'write');
  assert.equal(judgeWrite(made, oldHash), 'uncertain', 'somebody has made it');
});

test('only a host is served: on this machine the method is unknown', () => {
  const here = asked('fs/write_text_file', write, { clientVersion: '0', mcpServers: [] });
  assert.equal(here.rows.asks.size, 0);
  assert.equal(lastFrame(here).error?.code, -32601);
  const there = asked('fs/write_text_file', write);
  assert.deepEqual([askOf(there).class, askOf(there).state], ['effect', 'acting']);
});

test('what cannot be served is refused at once, and leaves no row', () => {
  const refused: readonly (readonly [string, JsonObject])[] = [
    ['fs/read_text_file', { path: 'a' }],
    ['fs/read_text_file', { path: '/a\0b' }],
    ['fs/read_text_file', { path: `/${'a'.repeat(5000)}` }],
    ['fs/read_text_file', { path: '/a', line: -1 }],
    ['fs/write_text_file', { path: '/a' }],
    ['fs/write_text_file', { path: '/a', content: 'x'.repeat(fileBytesMax + 1) }],
    ['terminal/create', { command: '' }],
    ['terminal/create', { command: 'sh', args: 'x' }],
    ['terminal/create', { command: 'sh', cwd: 'relative' }],
    ['terminal/create', { command: 'sh', env: [{ name: 'A=B', value: 'x' }] }],
    ['terminal/create', { command: 'sh', args: ['x'.repeat(200_000)] }],
    ['terminal/output', {}],
  ];
  for (const [method, params] of refused) {
    const model = asked(method, params);
    assert.equal(model.rows.asks.size, 0, method);
    assert.equal(lastFrame(model).error?.code, -32602, method);
  }
});

test('a person decides: one card, our options, and the effect only afterwards', () => {
  const model = asked('fs/write_text_file', write);
  const { id: askId } = askOf(model);
  const name = { askId, epoch: 1 };
  const events = model.events.length;
  model.commit(askFirst(model.rows, name, 6));
  assert.equal(askFirst(model.rows, name, 6), undefined, 'once');
  assert.equal(model.events.length, events + 1);
  const effect = { kind: 'write', newHash } as const;
  assert.equal(noteEffect(model.rows, { ...name, effect }, 7), undefined, 'nothing before');
  const answer = (optionId: string) =>
    answerAsk(model.rows, { askId, answer: { kind: 'option', optionId }, actor: 'device:1' }, 8);
  assert.equal(answer('always').outcome, 'option-not-offered');
  const frames = model.frames.length;
  const allowed = answer('allow-once');
  assert.ok(allowed.outcome === 'answered');
  model.commit(allowed.change);
  assert.equal(model.frames.length, frames, 'the agent is told when it is done');
  assert.equal(askFirst(model.rows, name, 9), undefined, 'it was decided');
  model.commit(noteEffect(model.rows, { ...name, effect }, 9));
  const outcome = { kind: 'done', result: {} } as const;
  model.commit(finishEffect(model.rows, { ...name, outcome }, 10));
  assert.equal(finishEffect(model.rows, { ...name, outcome }, 10), undefined, 'once');
  assert.equal(lastFrame(model).id, 0);
});

test('a refusal, a cancel and the end of the agent: none of them acts', () => {
  const refused = asked('terminal/create', { command: 'make' });
  const { id: askId } = askOf(refused);
  refused.commit(askFirst(refused.rows, { askId, epoch: 1 }, 6));
  const answer = { kind: 'option', optionId: 'reject-once' } as const;
  const step = answerAsk(refused.rows, { askId, answer, actor: 'device:1' }, 7);
  assert.ok(step.outcome === 'answered');
  refused.commit(step.change);
  assert.equal(lastFrame(refused).error?.code, -32003);
  assert.equal(refused.rows.asks.size, 0);

  const cancelled = asked('terminal/create', { command: 'make' });
  const open = askOf(cancelled).id;
  cancelled.commit(askFirst(cancelled.rows, { askId: open, epoch: 1 }, 6));
  const cancel = { turnId: 'turn', cause: 'asked', actor: 'device:1' } as const;
  cancelled.commit(cancelTurn(cancelled.rows, cancel, 7));
  assert.equal(cancelled.rows.asks.size, 0);

  const gone = asked('fs/write_text_file', write);
  const acting = { askId: askOf(gone).id, epoch: 1 };
  const end = {
    runId: aRunId,
    reason: 'signal',
    message: '',
    endedAtMs: 6,
    state: 'closed',
  } as const;
  gone.commit(endRun(gone.rows, end, { text: noText(), atMs: 6 }));
  assert.equal(gone.rows.asks.size, 0);
  const late = finishEffect(gone.rows, { ...acting, outcome: { kind: 'done', result: {} } }, 7);
  assert.equal(late, undefined);
});

test('an owner with an older epoch decides nothing (O3)', () => {
  const model = asked('fs/write_text_file', write);
  const name = { askId: askOf(model).id, epoch: 1 };
  model.commit(
    holdRun(model.rows, { runId: aRunId, epoch: 2, process }, { setup: onHost, atMs: 6 }),
  );
  const effect = { kind: 'write', oldHash, newHash } as const;
  const outcome = { kind: 'done', result: {} } as const;
  assert.equal(askFirst(model.rows, name, 7), undefined);
  assert.equal(noteEffect(model.rows, { ...name, effect }, 7), undefined);
  assert.equal(finishEffect(model.rows, { ...name, outcome }, 7), undefined);
  assert.ok(noteEffect(model.rows, { ...name, epoch: 2, effect }, 7));
});
