/*
 * The row of requests: who is told that the time is up, and who is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { createTimeLimit } from '../../src/http/time-limit.ts';

/* Requests by name: `late` is who was told, in that order. */
function openRow() {
  const clock = createFakeClock();
  const limit = createTimeLimit(clock);
  const late: string[] = [];
  const start = (name: string) => limit.start(clock.monotonicMs(), () => late.push(name));
  return { clock, limit, late, start };
}

test('whoever takes longer than 30 s is told once, in the order of arrival', async () => {
  const { clock, limit, late, start } = openRow();
  const first = start('first');
  start('second');
  await clock.advance(10_000);
  start('third');
  await clock.advance(19_000);
  assert.deepEqual(late, []);
  await clock.advance(2_000);
  assert.deepEqual(late, ['first', 'second']);
  limit.end(first);
  await clock.advance(60_000);
  assert.deepEqual(late, ['first', 'second', 'third']);
});

test('whoever has ended is not told, wherever in the row it stood', async () => {
  for (const ended of ['first', 'second', 'third']) {
    const { clock, limit, late, start } = openRow();
    const names = ['first', 'second', 'third'];
    const places = new Map(names.map((name) => [name, start(name)]));
    const place = places.get(ended);
    assert.ok(place !== undefined);
    limit.end(place);
    limit.end(place);
    await clock.advance(31_000);
    assert.deepEqual(
      late,
      names.filter((name) => name !== ended),
    );
  }
});

test('one that ends another while it is told of its own end', async () => {
  const { clock, limit, late, start } = openRow();
  limit.start(clock.monotonicMs(), () => limit.end(other));
  const other = start('other');
  start('last');
  await clock.advance(31_000);
  assert.deepEqual(late, ['last']);
});

test('after the end of the server nobody is told, and no timer is left', async () => {
  const { clock, limit, late, start } = openRow();
  start('first');
  limit.close();
  await clock.advance(60_000);
  assert.deepEqual(late, []);
  assert.equal(clock.pendingTimers, 0);
});
