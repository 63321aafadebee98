/*
 * Filters of `clf ps`, its table, and what it measures of living runs.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunFilter, RunRecord } from '@clawdfather/supervisor';
import { psSpec } from '../../src/commands/specs.ts';
import { listRuns, wantedRuns } from '../../src/runs/wanted-runs.ts';
import { endWords, formatExitShort } from '../../src/render/exit-text.ts';
import { createPaint } from '../../src/render/paint.ts';
import { formatRunTable } from '../../src/render/run-table.ts';
import { runCriterion } from '../../src/runs/run-criterion.ts';
import { parseWith } from '../support/configs.ts';
import { exitWith, recordWith } from '../support/records.ts';

/* What `clf ps` asks for with these filters. */
function wantedBy(filters: readonly string[], isAll: boolean) {
  const argv = filters.flatMap((filter) => ['--filter', filter]);
  const { flags } = parseWith(psSpec, isAll ? ['-a', ...argv] : argv);
  return wantedRuns(flags.filter, flags.all);
}

test('without -a only living runs; a reason asks for finished ones', () => {
  assert.deepEqual(wantedBy([], false).query.states, ['starting', 'running', 'exiting']);
  assert.equal(wantedBy([], true).query.states, undefined);
  const wanted = wantedBy(['reason=signal'], false);
  assert.equal(wanted.query.states, undefined);
  assert.equal(wanted.isMatch(recordWith()), false);
  assert.equal(wanted.isMatch(recordWith({ exit: exitWith({ reason: 'signal' }) })), true);
});

test('filters add up', () => {
  const { query } = wantedBy(
    ['state=exited', 'session=s', 'backend=b', 'name=web', 'label=a=b=c'],
    false,
  );
  assert.deepEqual(query, {
    sessionId: 's',
    backendId: 'b',
    labels: { name: 'web', a: 'b=c' },
    states: ['exited'],
  });
});

test('an unknown filter or state is refused', () => {
  assert.throws(() => wantedBy(['colour=red'], false), /--filter does not know/);
  assert.throws(() => wantedBy(['state=happy'], false), /state does not know "happy"/);
  assert.throws(() => wantedBy(['reason=timeuot'], false), /reason does not know "timeuot"/);
  assert.throws(() => wantedBy(['label=x'], false), /needs K=V/);
});

test('a word that the table shows is a word that a filter takes', () => {
  const ended = (exit: Parameters<typeof exitWith>[0]) =>
    recordWith({ state: 'exited', exit: exitWith(exit) });
  const shown = [
    ['ok', ended({ code: 0 })],
    ['exit 3', ended({ code: 3 })],
    ['SIGSEGV', ended({ reason: 'signal', code: undefined, signal: 'SIGSEGV' })],
    ['timeout', ended({ reason: 'overall-timeout' })],
    ['idle timeout', ended({ reason: 'no-output-timeout' })],
    ['cancelled', ended({ reason: 'manual-cancel' })],
    ['not started', ended({ reason: 'spawn-error' })],
  ] as const;
  for (const [word, run] of shown) {
    assert.equal(formatExitShort(run.exit ?? assert.fail()), word);
    const wanted = wantedBy([`state=${word}`], false);
    assert.deepEqual(wanted.query.states, ['exited']);
    const matching = shown.filter(([, other]) => wanted.isMatch(other)).map(([name]) => name);
    assert.deepEqual(matching, [word]);
  }
  // A dash for the space: what completion offers needs no quotes.
  const offered = runCriterion.completes as readonly string[];
  for (const word of Object.values(endWords)) {
    const dashed = word.replaceAll(' ', '-');
    assert.ok(offered.includes(`state=${dashed}`), word);
    const found = runCriterion.fromText('--filter', `state=${dashed}`);
    assert.deepEqual(found, { by: 'end', word });
    assert.equal(runCriterion.fromText('--filter', `reason=${dashed}`).by, 'reason');
  }
  const cancelled = wantedBy(['reason=cancelled'], false);
  assert.equal(cancelled.isMatch(ended({ reason: 'manual-cancel' })), true);
  assert.equal(cancelled.isMatch(ended({ code: 0 })), false);
  const both = wantedBy(['state=running', 'state=ok'], false);
  assert.deepEqual(both.query.states, ['running', 'exited']);
  assert.equal(both.isMatch(recordWith()), true);
  assert.equal(both.isMatch(ended({ code: 3 })), false);
  assert.equal(wantedBy(['state=exited', 'state=ok'], false).isMatch(ended({ code: 3 })), true);
});

/* Newest first, as the registry lists. */
function registryOf(records: readonly RunRecord[]) {
  return {
    list: async ({ states, limit = 100 }: RunFilter = {}) =>
      records.filter(({ state }) => states?.includes(state) ?? true).slice(0, limit),
  };
}

test('all that live are listed, however many; of finished ones the newest, and it is said', async () => {
  const many = registryOf(Array.from({ length: 250 }, () => recordWith()));
  const living = await listRuns(many, wantedBy([], false));
  assert.equal(living.runs.length, 250);
  assert.equal(living.isCut, false);
  const all = await listRuns(many, wantedBy([], true));
  assert.equal(all.runs.length, 100);
  assert.equal(all.isCut, true);
  assert.equal((await listRuns(many, wantedBy([], true), 250)).isCut, false);
});

test('a reason is looked for among all runs, not only the newest', async () => {
  const quiet = Array.from({ length: 200 }, () => recordWith({ state: 'exited' }));
  const killed = recordWith({ state: 'exited', exit: exitWith({ reason: 'signal' }) });
  const found = await listRuns(registryOf([...quiet, killed]), wantedBy(['reason=signal'], false));
  assert.deepEqual(found, { runs: [killed], isCut: false });
});

test('the table shows how a run stands or ended, and hides nothing nasty', () => {
  const text = formatRunTable(
    [
      {
        ...recordWith({ command: 'x\u001b[2J\n' }),
        use: {
          atMs: 61_000,
          cpuMs: 1_500,
          memoryBytes: 3 * 2 ** 20,
          processes: 1,
          diskBytes: 0,
          outputBytes: 0,
          isStopped: false,
        },
      },
      recordWith({
        state: 'exited',
        labels: { name: 'web' },
        exit: exitWith({ code: 3 }),
        treeEndedAtMs: 3_500,
      }),
      recordWith({ state: 'exited', exit: exitWith() }),
    ],
    {
      paint: createPaint(false),
      nowMs: 61_000,
      columnsMax: 200,
      stallOf: () => undefined,
    },
  );
  assert.equal(
    text,
    [
      'ID            NAME  STATE          AGE     TIME  CPU   MEM  COMMAND',
      '3k9qv7hd2m5x        running        1m ago  1m    1.5s  3M   x\\x1b[2J\\n',
      '3k9qv7hd2m5x  web   exit 3         1m ago  2.5s  -     -    sleep 60',
      '3k9qv7hd2m5x        ok, leftovers  1m ago  2.5s  -     -    sleep 60',
      '',
    ].join('\n'),
  );
});
