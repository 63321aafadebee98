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
    flag: '',
    list: async (filter: RunFilter = {}) =>
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
  treeEndedAtMs: 5_000,
});
const leaving = recordWith({
  runId: runId('yyy4000000000000'),
  labels: { name: 'web' },
  state: 'exited',
  treeEndedAtMs: undefined,
});

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof CliError);
    return `${error.code}: ${error.message} ${error.hint ?? ''}`;
  }
  return assert.fail('nothing was thrown');
}

test('a whole id, a unique beginning, a name', async () => {
  const runs = lister(first, second, ended);
  assert.equal(await findRun(runs, 'abc1000000000000'), first);
  assert.equal(await findRun(runs, 'abd'), second);
  assert.equal(await findRun(runs, 'zz'), ended);
});

test('of two runs with a name the living one is meant', async () => {
  assert.equal(await findRun(lister(first, ended), 'web'), first);
  assert.equal(await findRun(lister(second, ended), 'web'), ended);
});

test('a run that has left processes comes before newer ones of its name that have not', async () => {
  const many = Array.from({ length: 10 }, () => ended);
  assert.equal(await findRun(lister(...many, leaving), 'web'), leaving);
  assert.equal(await findRun(lister(leaving, first), 'web'), first, 'one that runs comes first');
  const two = lister(ended, leaving, { ...leaving, runId: runId('xxx5000000000000') });
  assert.equal(await findRun(two, 'web'), leaving, 'the newest');
  const text = await codeOf(() => findRun(two, 'web', { isLiving: true }));
  assert.match(text, /^run-ambiguous: .*yyy4.*xxx5/);
});

test('a name comes before the beginning of another id', async () => {
  const named = recordWith({ runId: runId('qqq4000000000000'), labels: { name: 'abc' } });
  assert.equal(await findRun(lister(first, named), 'abc'), named);
});

test('an ambiguous beginning lists the candidates, harmlessly', async () => {
  const text = await codeOf(() => findRun(lister(first, second), 'ab'));
  assert.match(text, /^run-ambiguous: .*abc1000000000000.*abd2000000000000/);
  assert.ok(!text.includes('\u001b'));
});

test('nothing found says where to look', async () => {
  assert.match(await codeOf(() => findRun(lister(first), 'nope')), /^run-not-found: .*clf ps -a/);
  assert.match(await codeOf(() => findRun(lister(first), '../x')), /^run-not-found/);
});

test('a mistyped name or id: the nearest one', async () => {
  const runs = lister(first, second, ended);
  assert.match(await codeOf(() => findRun(runs, 'wbe')), /Did you mean web\?/);
  assert.match(await codeOf(() => findRun(runs, 'acb1000')), /Did you mean abc100000000\?/);
  assert.match(await codeOf(() => findRun(runs, 'database')), /clf ps -a/);
});
