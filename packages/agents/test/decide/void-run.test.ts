/*
 * An agent that was never started, because its gateway was lost in that moment: nobody is told of it, and the turn gets another one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admitTurn, beginRun, endRun, enqueueTurn, noText } from '@clawdfather/agents';
import type { RunId } from '@clawdfather/supervisor';
import { aRunId, ThreadModel } from '../support/thread-model.ts';

const atMs = 1_000;
const lease = {
  leaseId: 'lease',
  instanceId: 'a',
  commandHash: 'hash',
  programRoot: '/opt',
  programPath: '/opt/agent',
  sessionId: undefined,
};

test('a run that never was leaves its turn as it is', () => {
  const model = new ThreadModel();
  const turn = { id: 'turn', prompt: [], loadClass: 'long_task', requester: 'device:1' } as const;
  model.commit(enqueueTurn(model.rows, turn, atMs));
  model.commit(admitTurn(model.rows, atMs));
  model.commit(beginRun(model.rows, { ...lease, runId: aRunId }, atMs));
  const { rows, events } = model;
  const shown = events.length;
  const end = {
    reason: 'reconciled-stale',
    message: '',
    endedAtMs: atMs,
    state: 'closed',
  } as const;
  const text = noText();
  model.commit(endRun(rows, { ...end, runId: aRunId, isVoid: true }, { text, atMs }));
  assert.deepEqual([model.rows.run, model.rows.turn], [undefined, rows.turn]);
  assert.equal(model.events.length, shown, 'nobody is told');
  const next = 'another' as RunId;
  model.commit(beginRun(model.rows, { ...lease, runId: next }, atMs));
  assert.equal(model.rows.run?.runId, next);
});
