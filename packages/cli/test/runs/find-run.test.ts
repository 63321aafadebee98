/*
 * From what was typed to the run that is meant.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunFilter, RunRecord } from '@clawdfather/supervisor';
import { CliError } from '../../src/errors.ts';
import { findRun } from '../../src/runs/find-run.ts';
import { recordWith, runId } from '../support/records.ts';

function lister(...records: RunRecord[]) {
  return {
    list: (filter: RunFilter = {}) =>
      records.filter(
        (record) =>
          record.runId.startsWith(filter.idPrefix ?? '') &&
          Object.entries(filter.labels ?? {}).every(([key, value]) => record.labels[key] === value),
      ),
  };
}

const first = recordWith({ runId: runId('abc1000000000000'), labels: { name: 'web' } });
const second = recordWith({ runId: runId('abd2000000000000'), command: 'evil\u001b[2J' });
const ended = recordWith({
  runId: runId('zzz3000000000000'),
  labels: { name: 'web' },
  state: 'exited',
});

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof CliError);
    return `${error.code}: ${error.message} ${error.hint ?? ''}`;
  }
  return assert.fail('nothing was thrown');
}

test('a whole id, a unique beginning, a name', () => {
  const runs = lister(first, second, ended);
  assert.equal(findRun(runs, 'abc1000000000000'), first);
  assert.equal(findRun(runs, 'abd'), second);
  assert.equal(findRun(runs, 'zz'), ended);
});

test('of two runs with a name the living one is meant', () => {
  assert.equal(findRun(lister(first, ended), 'web'), first);
  assert.equal(findRun(lister(second, ended), 'web'), ended);
});

test('a name comes before the beginning of another id', () => {
  const named = recordWith({ runId: runId('qqq4000000000000'), labels: { name: 'abc' } });
  assert.equal(findRun(lister(first, named), 'abc'), named);
});

test('an ambiguous beginning lists the candidates, harmlessly', () => {
  const text = codeOf(() => findRun(lister(first, second), 'ab'));
  assert.match(text, /^run-ambiguous: .*abc1000000000000.*abd2000000000000/);
  assert.ok(!text.includes('\u001b'));
});

test('nothing found says where to look', () => {
  assert.match(
    codeOf(() => findRun(lister(first), 'nope')),
    /^run-not-found: .*clf ps -a/,
  );
  assert.match(
    codeOf(() => findRun(lister(first), '../x')),
    /^run-not-found/,
  );
});

test('a mistyped name or id: the nearest one', () => {
  const runs = lister(first, second, ended);
  assert.match(
    codeOf(() => findRun(runs, 'wbe')),
    /Did you mean web\?/,
  );
  assert.match(
    codeOf(() => findRun(runs, 'acb1000')),
    /Did you mean abc100000000\?/,
  );
  assert.match(
    codeOf(() => findRun(runs, 'database')),
    /clf ps -a/,
  );
});
