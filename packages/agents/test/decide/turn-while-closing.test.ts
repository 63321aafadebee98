/*
 * A turn that begins while its thread's agent is being ended, as after a thread that was put away and taken back at once: the end of that agent
 * is no end of the turn, and the next agent gets it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  admitTurn,
  beginClosing,
  beginRun,
  cancelTurn,
  endRun,
  enqueueTurn,
  noText,
} from '@clawdfather/agents';
import type { RunId } from '@clawdfather/supervisor';
import { aRunId, ThreadModel } from '../support/thread-model.ts';

const lease = {
  leaseId: 'lease',
  instanceId: 'a',
  commandHash: 'hash',
  programRoot: '/opt',
  programPath: '/opt/agent',
  sessionId: undefined,
};
const said = { id: 'turn', prompt: [], loadClass: 'long_task', requester: 'device:1' } as const;
const close = { runId: aRunId, actor: 'device:1', discards: false };

function ask(model: ThreadModel, atMs: number): void {
  model.commit(enqueueTurn(model.rows, said, atMs));
  model.commit(admitTurn(model.rows, atMs));
}

function end(model: ThreadModel, atMs: number): void {
  const ended = { reason: 'manual-cancel', message: 'ended', state: 'closed' } as const;
  const run = { ...ended, runId: aRunId, endedAtMs: atMs };
  model.commit(endRun(model.rows, run, { text: noText(), atMs }));
}

function closingModel(): ThreadModel {
  const model = new ThreadModel();
  model.commit(beginRun(model.rows, { ...lease, runId: aRunId }, 1_000));
  const asked = { ...close, reason: 'archived', cancelsTurn: true };
  model.commit(beginClosing(model.rows, asked, 2_000));
  return model;
}

test('a turn that begins while the agent is being ended goes on with the next one', () => {
  for (const atMs of [2_000, 2_001]) {
    const model = closingModel();
    ask(model, atMs);
    const { turn } = model.rows;
    end(model, 3_000);
    assert.deepEqual([model.rows.run, model.rows.turn], [undefined, turn]);
    const next = 'another' as RunId;
    model.commit(beginRun(model.rows, { ...lease, runId: next }, 3_000));
    assert.equal(model.rows.run?.runId, next);
  }
});

test('one that was cancelled meanwhile ends with it', () => {
  const model = closingModel();
  ask(model, 2_001);
  const cancelled = { turnId: said.id, cause: 'asked', actor: 'device:1' } as const;
  model.commit(cancelTurn(model.rows, cancelled, 2_002));
  end(model, 3_000);
  assert.equal(model.rows.turn, undefined);
});

test('an agent that is ended because it never answered takes its turn with it, or it would be started for ever', () => {
  const model = new ThreadModel();
  model.commit(beginRun(model.rows, { ...lease, runId: aRunId }, 1_000));
  ask(model, 1_500);
  const mute = { ...close, reason: 'no-handshake', cancelsTurn: false };
  model.commit(beginClosing(model.rows, mute, 2_000));
  end(model, 3_000);
  assert.equal(model.rows.turn, undefined);
});
