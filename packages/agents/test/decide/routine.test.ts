/*
 * What happens to the process of an agent that waits is for the record; what happens in a turn, and what a person may have to act on, is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  admitTurn,
  beginClosing,
  beginRun,
  endRun,
  enqueueTurn,
  noText,
  noteNotEnded,
} from '@clawdfather/agents';
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
const close = { runId: aRunId, actor: 'cleanup', discards: false, reason: 'idle' };
const ended = { reason: 'manual-cancel', message: 'ended', state: 'closed' } as const;

function runningModel(): ThreadModel {
  const model = new ThreadModel();
  model.commit(beginRun(model.rows, { ...lease, runId: aRunId }, 1_000));
  return model;
}

function endOf({ rows }: ThreadModel) {
  const run = { ...ended, runId: aRunId, endedAtMs: 3_000 };
  return endRun(rows, run, { text: noText(), atMs: 3_000 });
}

test('an agent without a turn that is closed and ends leaves nothing to read', () => {
  const model = runningModel();
  const closing = beginClosing(model.rows, { ...close, cancelsTurn: false }, 2_000);
  assert.equal(closing?.isRoutine, true);
  model.commit(closing);
  assert.equal(endOf(model)?.isRoutine, true);
});

test('one that ends in a turn does', () => {
  const model = runningModel();
  model.commit(enqueueTurn(model.rows, said, 1_500));
  model.commit(admitTurn(model.rows, 1_500));
  assert.equal(endOf(model)?.isRoutine, undefined);
});

test('so does one that could not be ended', () => {
  const model = runningModel();
  const verdict = { verdict: 'ambiguous', why: 'it may be another' } as const;
  const noted = noteNotEnded(model.rows, { runId: aRunId, verdict }, 2_000);
  assert.deepEqual([noted?.events.length, noted?.isRoutine], [1, undefined]);
});

test('a change without events is none to read, and says nothing about it', () => {
  const begun = beginRun(new ThreadModel().rows, { ...lease, runId: aRunId }, 1_000);
  assert.deepEqual([begun?.events, begun?.isRoutine], [[], undefined]);
});
