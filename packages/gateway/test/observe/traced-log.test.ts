/*
 * Lines about a run carry the trace and the account of whoever asked for it, also those of a start that adopts it; other lines
 * the trace of the request or message that is being worked on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '@clawdfather/supervisor';
import { createCurrentTrace } from '../../src/observe/current-trace.ts';
import { createTracedLog } from '../../src/observe/traced-log.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

const runId = '0123456789abcdef' as RunId;
const labels = { trace: 'ab'.repeat(16), account: 'fedcba9876543210' };
const trace = { traceId: 'cd'.repeat(16), parentSpanId: undefined, isSampled: true };

test('a line that names a run carries its trace and account', () => {
  const lines: Line[] = [];
  const { log, open } = createTracedLog(recordingLog(lines), createCurrentTrace());
  let lookups = 0;
  open(() => {
    lookups += 1;
    return labels;
  });
  log.event('run.exit', { runId, code: 0 });
  log.child({ runId }).warn('run.uncertain', { why: 'x' });
  log.event('spawnd.lost');
  const facts = { trace_id: labels.trace, account_id: labels.account };
  assert.deepEqual(lines, [
    ['info', 'run.exit', { ...facts, runId, code: 0 }],
    ['warn', 'run.uncertain', { ...facts, runId, why: 'x' }],
    ['info', 'spawnd.lost', {}],
  ]);
  assert.equal(lookups, 1);
});

test('lines of a start wait until labels can be looked up; a run of the command line has no account', () => {
  const lines: Line[] = [];
  const { log, open } = createTracedLog(recordingLog(lines), createCurrentTrace());
  log.event('run.reconcile', { runId });
  log.event('spawnd.started');
  assert.deepEqual(
    lines.map(([, name]) => name),
    ['spawnd.started'],
  );
  open(() => ({ trace: 't', account: 'cli' }));
  assert.deepEqual(lines[1], ['info', 'run.reconcile', { trace_id: 't', runId }]);
});

test("a line of a request has its trace, across awaits; one about a run has the run's", async () => {
  const lines: Line[] = [];
  const current = createCurrentTrace();
  const { log, open } = createTracedLog(recordingLog(lines), current);
  open(() => labels);
  await current.run(trace, async () => {
    await Promise.resolve();
    log.warn('deep.below');
    log.warn('run.uncertain', { runId });
    log.warn('else', { trace_id: 'its own' });
  });
  log.warn('outside');
  assert.deepEqual(
    lines.map(([, , fields]) => fields['trace_id']),
    [trace.traceId, labels.trace, 'its own', undefined],
  );
});
