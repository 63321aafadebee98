/*
 * Who is pinged, who is too slow, and who is gone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { type Beating, createBeats } from '../../src/socket/beats.ts';

function socketWith(facts: Partial<Beating>): Beating & { readonly said: string[] } {
  const said: string[] = [];
  return {
    heardAtMs: 0,
    isPaused: false,
    fullSinceMs: undefined,
    pingedAtMs: 0,
    ping: () => void said.push('ping'),
    tooSlow: () => void said.push('too slow'),
    silent: () => void said.push('silent'),
    ...facts,
    said,
  };
}

test('a quiet socket is pinged every 30 s and cut off after 90 s, one that we do not read is not', async () => {
  const clock = createFakeClock();
  const beats = createBeats(clock);
  const quiet = socketWith({});
  const paused = socketWith({ isPaused: true });
  beats.add(quiet);
  beats.add(paused);
  await clock.advance(89_000);
  assert.deepEqual(quiet.said, ['ping', 'ping']);
  await clock.advance(6_000);
  assert.deepEqual(quiet.said.at(-1), 'silent');
  assert.deepEqual(paused.said, ['ping', 'ping', 'ping']);
  beats.close();
  assert.equal(clock.pendingTimers, 0);
});

test('a socket that takes nothing for 30 s is too slow, one that took something is not', async () => {
  const clock = createFakeClock();
  const beats = createBeats(clock);
  const stalled = socketWith({ fullSinceMs: 0 });
  beats.add(stalled);
  await clock.advance(29_000);
  assert.ok(!stalled.said.includes('too slow'));
  await clock.advance(5_000);
  assert.ok(stalled.said.includes('too slow'));
  beats.remove(stalled);
  await clock.advance(10_000);
  assert.equal(clock.pendingTimers, 0, 'nobody is looked at for nobody');
});
