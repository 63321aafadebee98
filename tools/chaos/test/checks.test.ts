/*
 * The checks of a campaign can fail: each is shown something wrong and says so.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cursor, RunExit, RunRecord } from '@clawdfather/supervisor';
import { startBystanders } from '../campaign/bystanders.ts';
import { findProcessesOf, readProcess } from '../campaign/process-facts.ts';
import { type Ledger, openLedger, readerNames, startCursor } from '../gateway/ledger.ts';
import { expectedText, plannedLines } from '../plan/lines.ts';
import { planRun, type RunPlan } from '../plan/run-plan.ts';
import { checkExit } from '../verify/check-exits.ts';
import { checkReaders } from '../verify/check-output.ts';
import { checkRegistry } from '../verify/check-registry.ts';

const plan: RunPlan = { runId: 'r', kind: 'plain', writer: { seed: 3, lines: 12, exitCode: 4 } };
let dir = '';
let ledger: Ledger;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clf-chaos-checks-'));
  ledger = openLedger(join(dir, 'ledger.sqlite'));
});
afterEach(() => {
  ledger.shut();
  rmSync(dir, { recursive: true, force: true });
});

/* Stores the plan's lines, one piece each, as both readers; `change` may drop, double or alter them. */
function storeLines(change: (texts: readonly string[]) => readonly string[]): void {
  const lines = [...plannedLines(plan.writer)];
  for (const reader of readerNames) {
    const key = { reader, runId: plan.runId };
    let before = ledger.cursorOf(key);
    for (const stream of ['stdout', 'stderr'] as const) {
      const texts = lines.filter((line) => line.stream === stream).map(({ text }) => text);
      for (const text of change(texts)) {
        const after = `${before}x` as Cursor;
        assert.ok(ledger.consume(key, { before, after, stream, bytes: Buffer.from(text) }));
        before = after;
      }
    }
    ledger.close(key);
  }
}

const violationsOfReaders = (): readonly string[] =>
  checkReaders(ledger, plan).map(({ what }) => what);

test('what was written is accepted', () => {
  storeLines((texts) => texts);
  assert.deepEqual(violationsOfReaders(), []);
});

test('a lost piece is found, for each reader', () => {
  storeLines((texts) => texts.slice(0, -1));
  const found = violationsOfReaders();
  assert.ok(found.some((what) => what.startsWith('owner, stdout')));
  assert.ok(found.some((what) => what.startsWith('observer, stdout')));
});

test('a doubled piece is found', () => {
  storeLines(([first = '', ...rest]) => [first, first, ...rest]);
  assert.notDeepEqual(violationsOfReaders(), []);
});

test('a reader that never came to the end is found', () => {
  assert.match(violationsOfReaders().join(), /owner never saw the end/);
});

test('a cursor that somebody else has moved is not moved again', () => {
  const key = { reader: 'owner', runId: 'r' } as const;
  const bytes = Buffer.from('x');
  ledger.cursorOf(key);
  const piece = { before: startCursor, after: 'a' as Cursor, stream: 'stdout', bytes } as const;
  assert.equal(ledger.consume(key, piece), true);
  assert.equal(ledger.consume(key, piece), false);
  assert.equal(ledger.piecesOf(key).length, 1);
});

const exit = { reason: 'exit', code: 4, signal: undefined, startedAtMs: 1 } as RunExit;
const recordWith = (changed: Partial<RunRecord>): RunRecord =>
  ({ runId: 'r', state: 'exited', pid: 1, exit, ...changed }) as RunRecord;

test('an exit that is missing, untold, told differently or unplanned is found', () => {
  const wrong = { ...exit, code: 5 };
  assert.deepEqual(checkExit(plan, recordWith({}), [exit]), []);
  assert.match(textOf(checkExit(plan, recordWith({ exit: undefined }), [exit])), /record says/);
  assert.match(textOf(checkExit(plan, recordWith({}), [])), /nobody was told/);
  assert.match(textOf(checkExit(plan, recordWith({}), [exit, wrong])), /somebody was told/);
  assert.match(
    textOf(checkExit(plan, recordWith({ exit: wrong }), [wrong])),
    /instead of exit \(4\)/,
  );
});

test('a record without a directory, or the other way round, is found', () => {
  mkdirSync(join(dir, 'runs', 'stray'), { recursive: true });
  const found = textOf(checkRegistry(dir, new Map([['r', recordWith({})]])));
  assert.match(found, /a record and no directory/);
  assert.match(found, /a directory and no record/);
});

test('a bystander that was sent a signal or killed is found', async () => {
  const bystanders = startBystanders(dir);
  try {
    assert.deepEqual(bystanders.check(), []);
    const [first = 0] = bystanders.pids;
    process.kill(first, 'SIGUSR1');
    /* The shell writes it down after its current sleep, or dies of it if it has just begun. */
    while (bystanders.check().length === 0) await sleep(20);
    assert.match(bystanders.check().join(), /sent USR1|is gone/);
  } finally {
    await bystanders.end();
  }
  assert.equal(bystanders.check().length, bystanders.pids.length);
});

test('a process in the state directory is found', () => {
  const here = findProcessesOf('no-instance', process.cwd());
  assert.ok(here.some(({ pid }) => pid === process.pid));
  assert.equal(readProcess(2 ** 30), undefined);
});

test('the same seed plans the same run and the same lines', () => {
  assert.deepEqual(planRun('a', 5), planRun('a', 5));
  assert.equal(expectedText(plan.writer, 'stdout'), expectedText(plan.writer, 'stdout'));
  assert.notEqual(
    expectedText(plan.writer, 'stdout'),
    expectedText({ ...plan.writer, seed: 4 }, 'stdout'),
  );
});

function textOf(violations: readonly { readonly what: string }[]): string {
  return violations.map(({ what }) => what).join('\n');
}
