/*
 * What the supervisor announces is counted and logged at a fitting level.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Count, RunId } from '@clawdfather/supervisor';
import { createRunObserver } from '../../src/observe/run-observer.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

const runId = '0123456789abcdef' as RunId;

test('what is announced becomes counters and lines; output does not', () => {
  const lines: Line[] = [];
  const counts: Count[] = [];
  const observer = createRunObserver({
    metrics: { counted: (count) => void counts.push(count) },
    log: recordingLog(lines),
  });
  observer.count({ name: 'run_spawn_total', labels: undefined, by: 1 });
  observer.event({ type: 'spawn', runId, sessionId: 's' });
  observer.event({ type: 'output-heartbeat', runId, atMs: 1 });
  observer.event({ type: 'end', runId, survivors: 2 });
  observer.event({ type: 'lease-lost', generation: 3 });
  assert.equal(counts.length, 1);
  assert.deepEqual(
    lines.map(([level, name]) => [level, name]),
    [
      ['info', 'run.spawn'],
      ['warn', 'run.end'],
      ['error', 'run.lease-lost'],
    ],
  );
});
