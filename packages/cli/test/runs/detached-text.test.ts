/*
 * What is said when `clf run -d` leaves a run.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { endedAtOnce, formatDetachedRun } from '../../src/runs/detached-text.ts';
import { createFakeRun } from '../support/fake-run.ts';
import { exitWith, recordWith } from '../support/records.ts';

test('a run that ends while somebody still looks is told as ended', async () => {
  const run = createFakeRun();
  const clock = createFakeClock();
  const looked = endedAtOnce(run, clock);
  run.finish({ code: 1 });
  assert.equal((await looked)?.code, 1);
  assert.equal(clock.pendingTimers, 0);
});

test('a run that goes on is left after a moment', async () => {
  const run = createFakeRun();
  const clock = createFakeClock();
  const looked = endedAtOnce(run, clock);
  await clock.advance(1_000);
  assert.equal(await looked, undefined);
});

test('hints have the name, and stand on two lines where one is too narrow', () => {
  const run = { ...createFakeRun(), snapshot: () => recordWith({ labels: { name: 'web' } }) };
  const left = { run, flag: '', hasTerminal: false, exit: undefined };
  assert.equal(formatDetachedRun(left), 'clf: output: clf logs -f web   end it: clf kill web\n');
  assert.equal(
    formatDetachedRun(left, 40),
    'clf: output: clf logs -f web\nclf: end it: clf kill web\n',
  );
  const screen = { ...left, run: createFakeRun(), flag: ' -g home', hasTerminal: true };
  assert.equal(
    formatDetachedRun(screen),
    'clf: screen: clf attach -g home 3k9qv7hd2m5x   end it: clf kill -g home 3k9qv7hd2m5x\n',
  );
  assert.equal(
    formatDetachedRun({ ...left, exit: exitWith({ code: 1 }) }),
    'clf: it has ended already: exit 1; output: clf logs web\n',
  );
});
