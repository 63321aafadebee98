/*
 * The system clock: monotonic, abortable, and able to wait longer than a timer's 31 bits.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { createSystemClock, type Timer } from '@clawdfather/kit';

const clock = createSystemClock();

test('monotonic time does not go back', () => {
  const first = clock.monotonicMs();
  assert.ok(clock.monotonicMs() >= first);
});

test('wall time is the time of day', () => {
  const before = Date.now();
  const wallMs = clock.wallMs();
  assert.ok(before <= wallMs && wallMs <= Date.now());
});

test('sleep resolves no earlier than asked', async () => {
  const startMs = clock.monotonicMs();
  await clock.sleep(20);
  // A timer may round down by less than one millisecond.
  assert.ok(clock.monotonicMs() - startMs >= 19);
});

test('an abort ends a sleep with the reason of the signal', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const slept = clock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await assert.rejects(slept, reason);
});

test('a sleep under an aborted signal never starts', async () => {
  const reason = new Error('too late');
  await assert.rejects(clock.sleep(60_000, AbortSignal.abort(reason)), reason);
});

test('a cancelled timer does not fire and may be cancelled again', async () => {
  let isFired = false;
  const timer = clock.timer(1, () => {
    isFired = true;
  });
  timer.cancel();
  timer.cancel();
  await clock.sleep(10);
  assert.equal(isFired, false);
});

test('a delay beyond 31 bits does not fire at once', async () => {
  let isFired = false;
  const timer: Timer = clock.timer(2 ** 31 + 5, () => {
    isFired = true;
  });
  await clock.sleep(10);
  timer.cancel();
  assert.equal(isFired, false);
});

test('an unreferenced timer does not keep the process alive', () => {
  const source = `
    import { createSystemClock } from '@clawdfather/kit';
    createSystemClock().timer(60_000, () => {}).unref();`;
  const result = spawnSync(
    process.execPath,
    ['--conditions=@clawdfather/source', '--input-type=module', '--eval', source],
    { cwd: import.meta.dirname, timeout: 20_000 },
  );
  assert.equal(result.status, 0, result.stderr.toString());
});
