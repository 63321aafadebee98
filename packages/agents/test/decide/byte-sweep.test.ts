/*
 * W1, W9: a transcript that is cut at any byte, with a restart after any commit, gives the same events.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AgentSetup,
  addText,
  admitTurn,
  beginRun,
  consume,
  createWireReader,
  endRun,
  enqueueTurn,
  holdRun,
  type MessageText,
  noText,
} from '@clawdfather/agents';
import { outputStart } from '@clawdfather/supervisor';
import { createPaperJournal, type PaperEvent, type Said } from '../support/paper-journal.ts';
import { aRunId, ThreadModel } from '../support/thread-model.ts';

const setup: AgentSetup = { clientVersion: '0', mcpServers: [] };
const process = { rootPid: 10, processGroupId: 10, startTicks: 1, bootId: 'boot' };

function startedThread(): ThreadModel {
  const model = new ThreadModel();
  const turn = {
    id: 'turn',
    prompt: [{ type: 'text', text: 'hello' }],
    loadClass: 'long_task' as const,
    requester: 'device:1',
  };
  model.commit(enqueueTurn(model.rows, turn, 1));
  model.commit(admitTurn(model.rows, 2));
  const program = { programRoot: '/opt', programPath: '/opt/agent' };
  const run = { runId: aRunId, leaseId: 'l', instanceId: 'one', commandHash: 'hash', ...program };
  model.commit(beginRun(model.rows, { ...run, sessionId: undefined }, 3));
  model.commit(holdRun(model.rows, { runId: aRunId, epoch: 1, process }, { setup, atMs: 4 }));
  return model;
}

/* Reads on from the stored cursor, as a new owner does; commits after each piece. */
function readOn(model: ThreadModel, events: readonly PaperEvent[], commitsMax = Infinity): void {
  let text = textOf(model);
  let from = model.rows.run?.cursor ?? outputStart;
  const reader = createWireReader(from);
  let commits = 0;
  for (const event of events) {
    const steps = reader.push(event);
    if (steps.length === 0) continue;
    const batch = { runId: aRunId, epoch: 1, from, steps };
    const step = consume(model.rows, batch, { setup, text, atMs: event.atMs });
    assert.equal(step.outcome, 'consumed');
    model.commit(step.change);
    text = step.text;
    from = steps.at(-1)?.cursor ?? from;
    commits += 1;
    if (commits >= commitsMax) return;
  }
}

/* As after a crash: from what is stored. */
function textOf(model: ThreadModel): MessageText {
  const open = model.rows.run?.openMessage;
  let text = noText();
  if (open === undefined) return text;
  for (const { seq, type, payload } of model.events) {
    if (seq >= open.firstSeq && type === 'delta') text = addText(text, wordsOf(payload['text']));
  }
  return text;
}

function wordsOf(text: unknown): string {
  return typeof text === 'string' ? text : '';
}

/* What people see: deltas joined, times and numbers left out. */
function shown(model: ThreadModel): readonly string[] {
  const told: string[] = [];
  let last = '';
  for (const { type, payload, turnId } of model.events) {
    const { firstSeq: _seq, text, ...facts } = payload;
    const key = `${type} ${turnId} ${JSON.stringify(facts)}`;
    if (type === 'delta' && key === last) told.push(`${told.pop()}${wordsOf(text)}`);
    else told.push(`${key} ${wordsOf(text)}`);
    last = type === 'delta' ? key : '';
  }
  return told;
}

const line = (value: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`;
const update = (sessionUpdate: string, facts: object): string =>
  line({
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate, ...facts } },
  });
const chunk = (text: string, messageId?: string): string =>
  update('agent_message_chunk', { messageId, content: { type: 'text', text } });

/* Of an agent: a handshake, and a turn with everything in it. */
function transcript(words: number): string {
  const said = [
    line({ id: 1, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }),
    line({ id: 2, result: { sessionId: 'native' } }),
    'a banner that is no message\n',
    update('agent_thought_chunk', { content: { type: 'text', text: 'hm' } }),
  ];
  for (let index = 0; index < words; index += 1) {
    said.push(chunk(index % 7 === 3 ? '\ud83d' : index % 7 === 4 ? '\ude00ü' : `w${index} `, 'm1'));
  }
  said.push(
    update('tool_call', { toolCallId: 't', title: 'ls', kind: 'execute', status: 'pending' }),
    line({ id: 0, method: 'session/request_permission', params: { options: [{ optionId: 'a' }] } }),
    line({ id: 'x', method: 'craft/unknown', params: {} }),
    '\n',
    update('something_new', { value: 1 }),
    chunk('the end', 'm2'),
    line({ id: 77, result: {} }),
    line({ id: 3, result: { stopReason: 'end_turn', usage: { totalTokens: 5 } } }),
    chunk('afterwards', 'm3'),
  );
  return said.join('');
}

const stderr = Buffer.from('a warning\n');

/* The answers of the handshake are frames of their own: an agent cannot answer what it was not asked yet. */
function apart(bytes: Buffer): { readonly handshake: readonly Said[]; readonly rest: Buffer } {
  const first = bytes.indexOf(10) + 1;
  const second = bytes.indexOf(10, first) + 1;
  const handshake = [bytes.subarray(0, first), bytes.subarray(first, second)];
  return {
    handshake: handshake.map((piece): Said => ({ stream: 'stdout', bytes: piece })),
    rest: bytes.subarray(second),
  };
}

/* One frame up to the cut, stderr and accepted input in between, one after it. */
function cutAt(handshake: readonly Said[], bytes: Buffer, at: number): readonly Said[] {
  return [
    ...handshake,
    { stream: 'stdout', bytes: bytes.subarray(0, at) },
    { stream: 'stderr', bytes: stderr },
    { accepted: 1_000 },
    { stream: 'stdout', bytes: bytes.subarray(at) },
  ].filter((one) => !('bytes' in one) || one.bytes.length > 0) as readonly Said[];
}

function isNoiseOfStderr(told: string): boolean {
  return told.includes('"stream":"stderr"');
}

test('W1: a transcript that is cut at any byte gives the same events, with stderr once', () => {
  const { handshake, rest: bytes } = apart(Buffer.from(transcript(12)));
  const whole = startedThread();
  const uncut = createPaperJournal([...handshake, { stream: 'stdout', bytes }]);
  readOn(whole, uncut.readFrom(outputStart));
  const expected = shown(whole);
  assert.equal(whole.endedTurns[0]?.status, 'completed');
  for (let at = 0; at <= bytes.length; at += 1) {
    const model = startedThread();
    readOn(model, createPaperJournal(cutAt(handshake, bytes, at)).readFrom(outputStart));
    const told = shown(model);
    assert.equal(told.filter(isNoiseOfStderr).length, 1, `cut at ${at}`);
    const others = told.filter((one) => !isNoiseOfStderr(one));
    assert.deepEqual(joined(others).map(unplaced), joined(expected).map(unplaced), `cut at ${at}`);
    assert.equal(model.rows.run?.acceptedInput, 1_000);
  }
});

/* An ask is known by its place, which is another one in another journal. */
function unplaced(told: string): string {
  return told.replace(/"ask":"[0-9a-z]{16}"/, 'ask');
}

/* Stderr between two deltas parts them; what they say together is the same. */
function joined(told: readonly string[]): readonly string[] {
  return told.reduce<string[]>((all, one) => {
    const last = all.at(-1);
    const head = /^delta \S+ \{[^}]*\} /.exec(one)?.[0];
    if (head !== undefined && last?.startsWith(head) === true) {
      all[all.length - 1] = last + one.slice(head.length);
    } else all.push(one);
    return all;
  }, []);
}

test('W1, W9: a restart after any commit changes no event, no hash and no frame', () => {
  const bytes = Buffer.from(transcript(190));
  const pieces: Said[] = [];
  for (let at = 0; at < bytes.length; at += 37) {
    pieces.push({ stream: 'stdout', bytes: bytes.subarray(at, at + 37) });
    if (at % 5 === 0) pieces.push({ stream: 'stderr', bytes: stderr });
  }
  const journal = createPaperJournal(pieces);
  const whole = startedThread();
  readOn(whole, journal.readFrom(outputStart));
  const restarts = startedThread();
  let cursor: string | undefined;
  while (cursor !== restarts.rows.run?.cursor) {
    cursor = restarts.rows.run?.cursor;
    readOn(restarts, journal.readFrom(restarts.rows.run?.cursor ?? outputStart), 1);
  }
  assert.deepEqual(shown(restarts), shown(whole));
  assert.deepEqual(restarts.frames, whole.frames);
  assert.equal(whole.endedTurns.length, 1);
});

test('X3: what was consumed before, or under another epoch, is refused', () => {
  const journal = createPaperJournal([{ stream: 'stdout', bytes: Buffer.from(transcript(1)) }]);
  const model = startedThread();
  const steps = createWireReader(outputStart).push(journal.readFrom(outputStart)[0] as PaperEvent);
  const batch = { runId: aRunId, epoch: 1, from: outputStart, steps };
  const options = { setup, text: noText(), atMs: 5 };
  assert.equal(consume(model.rows, { ...batch, epoch: 2 }, options).outcome, 'superseded');
  const step = consume(model.rows, batch, options);
  assert.equal(step.outcome, 'consumed');
  model.commit(step.change);
  assert.equal(consume(model.rows, batch, options).outcome, 'elsewhere');
});

test('W11: a turn whose prompt the shim never had waits again; one that it had is interrupted', () => {
  for (const accepted of [0, 100_000]) {
    const model = startedThread();
    const text = transcript(0).split('\n').slice(0, 2).join('\n');
    const said: Said[] = [{ stream: 'stdout', bytes: Buffer.from(`${text}\n`) }];
    readOn(model, createPaperJournal([...said, { accepted }]).readFrom(outputStart));
    assert.equal(model.rows.turn?.promptCall, 3);
    const end = {
      runId: aRunId,
      reason: 'signal',
      message: 'it was killed',
      endedAtMs: 9,
    } as const;
    model.commit(endRun(model.rows, { ...end, state: 'closed' }, { text: noText(), atMs: 10 }));
    assert.equal(model.rows.run, undefined);
    if (accepted === 0) {
      assert.equal(model.rows.queue[0]?.id, 'turn');
      assert.equal(model.rows.queue[0]?.promptCall, undefined);
    } else assert.equal(model.endedTurns[0]?.status, 'interrupted');
  }
});

test('W10: an answer that was journalled in time ends its turn, however late it is read', () => {
  const { handshake } = apart(Buffer.from(transcript(0)));
  const answer = line({ id: 3, result: { stopReason: 'end_turn' } });
  const journal = createPaperJournal([
    ...handshake,
    { stream: 'stdout', bytes: Buffer.from(answer) },
  ]);
  for (const [deadlineAtMs, status] of [
    [2_000, 'completed'],
    [500, 'failed'],
  ] as const) {
    const model = startedThread();
    const [first, second, third] = journal.readFrom(outputStart);
    readOn(model, [first, second] as PaperEvent[]);
    const { turn } = model.rows;
    assert.ok(turn);
    // The journal has it at 1,002; it is read an hour later.
    model.rows = { ...model.rows, turn: { ...turn, deadlineAtMs } };
    const { cursor } = model.rows.run ?? { cursor: outputStart };
    const steps = createWireReader(cursor).push(third as PaperEvent);
    const batch = { runId: aRunId, epoch: 1, from: cursor, steps };
    const step = consume(model.rows, batch, { setup, text: noText(), atMs: 3_600_000 });
    assert.equal(step.outcome, 'consumed');
    model.commit(step.change);
    assert.equal(model.endedTurns[0]?.status, status);
  }
});
