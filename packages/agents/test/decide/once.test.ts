/*
 * An agent that speaks no protocol, on paper: its output cut at any byte and read anew after any commit is the same answer; how each end of
 * its process ends the turn; and a turn that is bound to its own run.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  admitTurn,
  beginRun,
  cancelTurn,
  chooseValues,
  consume,
  createTextReader,
  endRun,
  enqueueTurn,
  giveUpTurn,
  holdRun,
  type MessageText,
  noText,
  onceStart,
  onceStartOf,
  type OnceSetup,
  type RunEnd,
} from '@clawdfather/agents';
import { outputStart, type RunId } from '@clawdfather/supervisor';
import { createPaperJournal, type PaperEvent, type Said } from '../support/paper-journal.ts';
import { aRunId, ThreadModel } from '../support/thread-model.ts';

const process = { rootPid: 10, processGroupId: 10, startTicks: 1, bootId: 'boot' };

function enqueue(model: ThreadModel, id: string): void {
  const prompt = [{ type: 'text', text: `prompt of ${id}` }];
  const turn = { id, prompt, loadClass: 'long_task' as const, requester: 'device:1' };
  model.commit(enqueueTurn(model.rows, turn, 1));
}

function begin(model: ThreadModel, once: OnceSetup, runId: RunId = aRunId): void {
  model.commit(admitTurn(model.rows, 2));
  const lease = {
    runId,
    leaseId: 'lease',
    instanceId: 'one',
    commandHash: 'hash',
    programRoot: '/bin',
    programPath: '/bin/ask',
  };
  model.commit(beginRun(model.rows, { ...lease, sessionId: undefined, once }, 3));
}

function hold(model: ThreadModel, once: OnceSetup): void {
  const setup = { clientVersion: '0', mcpServers: [], once };
  const held = { runId: model.rows.run?.runId ?? aRunId, epoch: 1, process, seenBy: 1 };
  model.commit(holdRun(model.rows, held, { setup, atMs: 4 }));
}

function startedThread(once: OnceSetup = { prompt: 'argument' }): ThreadModel {
  const model = new ThreadModel();
  enqueue(model, 'turn');
  begin(model, once);
  hold(model, once);
  return model;
}

/* As an owner does; a crash after `commitsMax` commits. */
function readOn(model: ThreadModel, events: readonly PaperEvent[], commitsMax = Infinity): void {
  const setup = { clientVersion: '0', mcpServers: [], once: { prompt: 'argument' } } as const;
  let text: MessageText = noText();
  let from = model.rows.run?.cursor ?? outputStart;
  const reader = createTextReader(from);
  let commits = 0;
  const take = (steps: ReturnType<typeof reader.push>): void => {
    if (steps.length === 0 || commits >= commitsMax) return;
    const batch = { runId: aRunId, epoch: 1, from, steps };
    const step = consume(model.rows, batch, { setup, text, atMs: 5 });
    assert.equal(step.outcome, 'consumed');
    model.commit(step.change);
    text = step.text;
    from = steps.at(-1)?.cursor ?? from;
    commits += 1;
  };
  for (const event of events) take(reader.push(event));
  take(reader.end());
}

function textOf(model: ThreadModel, type = 'delta'): string {
  return model.events
    .filter((event) => event.type === type)
    .map(({ payload: { text } }) => (typeof text === 'string' ? text : ''))
    .join('');
}

const words = 'hä€\u{1f600}\n\0 wörld\u{1f468}\u200d\u{1f469}';

test('it is not started for a thread that has a mode, and is for one that has a model', () => {
  const chosen = (values: Record<string, string>): ThreadModel => {
    const model = new ThreadModel();
    model.commit(chooseValues(model.rows, { chosen: values, actor: 'device:1' }, 1));
    enqueue(model, 'turn');
    begin(model, { prompt: 'argument' });
    return model;
  };
  const { rows, endedTurns } = chosen({ model: 'large', mode: 'plan' });
  assert.equal(rows.run, undefined);
  assert.equal(rows.turn, undefined);
  assert.equal(endedTurns[0]?.result?.cause, 'choice-not-set');
  assert.equal(rows.thread.chosen?.['mode'], 'plan');
  const started = chosen({ model: 'large' });
  assert.equal(started.rows.run?.phase, 'once');
  assert.equal(started.rows.thread.chosen, undefined);
});

test('an answer that is cut at any byte is the same, with what came in between once', () => {
  const bytes = Buffer.from(words);
  for (let at = 0; at <= bytes.length; at += 1) {
    for (let next = at; next <= bytes.length; next += 1) {
      const said: Said[] = [
        { stream: 'stdout', bytes: bytes.subarray(0, at) },
        { stream: 'stderr', bytes: Buffer.from('warning') },
        { stream: 'stdout', bytes: bytes.subarray(at, next) },
        { accepted: 7 },
        { stream: 'stdout', bytes: bytes.subarray(next) },
      ];
      const model = startedThread();
      readOn(model, createPaperJournal(said.filter(isThere)).readFrom(outputStart));
      assert.equal(textOf(model), words, `cut at ${at} and ${next}`);
      assert.equal(textOf(model, 'noise'), 'warning');
      assert.equal(model.rows.run?.acceptedInput, 7);
    }
  }
});

function isThere(one: Said): boolean {
  return 'accepted' in one || one.bytes.length > 0;
}

test('in pieces of any size, and read anew after every commit, nothing is missed and nothing comes twice', () => {
  const bytes = Buffer.from(words);
  for (let size = 1; size <= bytes.length; size += 1) {
    const said: Said[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      said.push({ stream: 'stdout', bytes: bytes.subarray(at, at + size) });
    }
    const journal = createPaperJournal(said);
    const model = startedThread();
    for (let before; before !== model.rows.run?.cursor; ) {
      before = model.rows.run?.cursor;
      readOn(model, journal.readFrom(before ?? outputStart), 1);
    }
    assert.equal(textOf(model), words, `pieces of ${size}`);
  }
});

test('half a character at the very end is shown as what it is', () => {
  const model = startedThread();
  const said: Said[] = [{ stream: 'stdout', bytes: Buffer.from('ok\u20ac').subarray(0, 4) }];
  readOn(model, createPaperJournal(said).readFrom(outputStart));
  assert.equal(textOf(model), 'ok\ufffd');
});

const ends: readonly (readonly [Partial<RunEnd>, string, string])[] = [
  [{ reason: 'exit', code: 0 }, 'completed', 'success'],
  [{ reason: 'exit', code: 3 }, 'failed', 'error'],
  [{ reason: 'no-output-timeout' }, 'failed', 'error'],
  [{ reason: 'overall-timeout' }, 'failed', 'OPENCLAW_RUN_DEADLINE_EXCEEDED'],
  [{ reason: 'spawn-error' }, 'failed', 'error'],
  [{ reason: 'signal', foundBy: 1 }, 'interrupted', 'error'],
  [{ reason: 'out-of-memory', foundBy: 1 }, 'interrupted', 'error'],
  [{ reason: 'signal', foundBy: 2 }, 'interrupted', 'ACP_BRIDGE_RESTART'],
  [{ reason: 'host-rebooted', foundBy: 2 }, 'interrupted', 'ACP_BRIDGE_RESTART'],
];

function end(model: ThreadModel, facts: Partial<RunEnd>, runId: RunId = aRunId): void {
  const whole = {
    runId,
    reason: 'exit',
    message: 'why',
    endedAtMs: 9,
    state: 'closed',
    ...facts,
  } as const;
  model.commit(endRun(model.rows, whole, { text: noText(), atMs: 10 }));
}

test('the end of the process is the end of the turn, with the time of the journal', () => {
  for (const [facts, status, code] of ends) {
    const model = startedThread();
    end(model, facts);
    const [turn] = model.endedTurns;
    assert.deepEqual(
      [turn?.status, turn?.result?.code, turn?.endedAtMs],
      [status, code, 9],
      facts.reason,
    );
    assert.equal(model.rows.run, undefined);
    const goesOn = model.rows.thread.nativeSessionId !== undefined;
    assert.equal(goesOn, status === 'completed', 'only an answer can be gone on with');
  }
});

test('a cancel ends the process, and whatever it says then, the turn is cancelled', () => {
  const model = startedThread();
  model.commit(cancelTurn(model.rows, { turnId: 'turn', cause: 'asked', actor: 'me' }, 6));
  assert.equal(model.rows.run?.state, 'closing');
  assert.equal(model.rows.turn?.id, 'turn', 'it is not called stopped while its process lives');
  assert.deepEqual(model.frames, []);
  end(model, { reason: 'manual-cancel' });
  assert.equal(model.endedTurns[0]?.status, 'cancelled');
});

test('a turn that is cancelled before its process has started is never run', () => {
  const model = new ThreadModel();
  enqueue(model, 'turn');
  begin(model, { prompt: 'argument' });
  model.commit(cancelTurn(model.rows, { turnId: 'turn', cause: 'asked', actor: 'me' }, 6));
  const { thread, turn } = model.rows;
  const agent = { argv: ['ask'], once: { prompt: 'argument' }, timeoutMs: undefined } as const;
  assert.throws(() => onceStartOf(agent, thread, { runId: aRunId, turn }), {
    code: 'agent-turn-gone',
  });
  end(model, { reason: 'spawn-error' });
  assert.equal(model.endedTurns[0]?.status, 'cancelled');
});

test('the end of one run is not the end of the next turn', () => {
  const model = startedThread();
  enqueue(model, 'next');
  model.commit(cancelTurn(model.rows, { turnId: 'turn', cause: 'asked', actor: 'me' }, 6));
  model.commit(giveUpTurn(model.rows, 'turn', 7));
  model.commit(admitTurn(model.rows, 8));
  assert.equal(model.rows.turn?.id, 'next');
  end(model, { reason: 'exit', code: 0 });
  assert.equal(model.rows.turn?.id, 'next', 'it waits for a run of its own');
  assert.equal(model.rows.turn?.runId, undefined);
});

test('the prompt is the last argument, or a frame of the input; a conversation goes on with its arguments', () => {
  const prompt = [{ type: 'text', text: 'a b' }, { type: 'image' }];
  const agent = { argv: ['ask', '-q'], timeoutMs: undefined };
  const turn = { prompt, loadClass: 'short_task', isBegun: true } as const;
  const text = 'a b\n\n(image left out: this agent takes text only)';
  const argument = onceStart({ ...agent, once: { prompt: 'argument', resume: ['-c'] } }, turn);
  assert.deepEqual(argument.argv, ['ask', '-q', '-c', text]);
  assert.equal(argument.shownAs, 'ask -q -c', 'records do not have the prompt');
  assert.deepEqual([argument.overallTimeoutMs, argument.noOutputTimeoutMs], [600_000, 180_000]);
  const guarded = { ...agent, argv: ['ask', '--'] };
  const options = onceStart({ ...guarded, once: { prompt: 'argument', resume: ['-c'] } }, turn);
  assert.deepEqual(options.argv, ['ask', '-c', '--', text], 'they stay options');
  const fresh = { ...turn, isBegun: false };
  const input = onceStart({ ...agent, once: { prompt: 'stdin', resume: ['-c'] } }, fresh);
  assert.deepEqual([input.argv, input.stdin], [['ask', '-q'], 'open']);
  assert.deepEqual([input.overallTimeoutMs, input.noOutputTimeoutMs], [600_000, 480_000]);
  const model = startedThread({ prompt: 'stdin' });
  assert.deepEqual(
    model.frames.map((frame) => frame.text),
    ['prompt of turn'],
  );
});
