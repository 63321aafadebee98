/*
 * Which taps count: every order of looks, and the two times exactly.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '@clawdfather/testkit';
import {
  type Arming,
  type ArmingEvent,
  nextArming,
  takesTap,
  unseen,
} from '../../src/approvals/next-arming.ts';

type Look = Partial<Extract<ArmingEvent, { kind: 'looked' }>>;

function look(atMs: number, over: Look = {}): ArmingEvent {
  const seen = { isInView: true, hasMoved: false, showsStart: true, showsEnd: true };
  return { kind: 'looked', atMs, ...seen, ...over };
}

function after(...events: readonly ArmingEvent[]): Arming {
  return events.reduce(nextArming, unseen);
}

test('it is armed after 600 ms in full view, and not a millisecond before', () => {
  assert.equal(after(look(0), look(599)).kind, 'settling');
  const armed = after(look(0), look(599), look(600));
  assert.deepEqual([armed.kind, takesTap(armed, 600, 'allows')], ['armed', true]);
});

test('a tap that began before it was armed does nothing, however late it ends', () => {
  const armed = after(look(0), look(600), look(5_000));
  assert.equal(takesTap(armed, 599, 'denies'), false);
  assert.equal(takesTap(armed, 600, 'denies'), true);
});

test('a movement costs 400 ms, and never shortens the first wait', () => {
  assert.equal(after(look(0), look(10, { hasMoved: true }), look(599)).kind, 'settling');
  assert.equal(after(look(0), look(10, { hasMoved: true }), look(600)).kind, 'armed');
  const moved = [look(0), look(600), look(1_000, { hasMoved: true })];
  assert.equal(after(...moved, look(1_399)).kind, 'settling');
  const again = after(...moved, look(1_400));
  assert.deepEqual([again.kind, takesTap(again, 1_000, 'allows')], ['armed', false]);
  assert.equal(takesTap(again, 1_400, 'allows'), true);
});

test('whatever hides it starts all over, and so do other buttons in the same place', () => {
  for (const event of [look(700, { isInView: false }), { kind: 'turned' } as const]) {
    const hidden = after(look(0), look(600), event);
    assert.deepEqual([hidden.kind, takesTap(hidden, 700, 'denies')], ['hidden', false]);
    assert.equal(nextArming(nextArming(hidden, look(800)), look(1_399)).kind, 'settling');
  }
});

test('nothing is allowed before its beginning and its end were on the screen; denying needs neither', () => {
  const unread = after(look(0, { showsEnd: false }), look(600, { showsEnd: false }));
  assert.deepEqual(
    [takesTap(unread, 600, 'allows'), takesTap(unread, 600, 'denies')],
    [false, true],
  );
  const endOnly = after(look(0, { showsStart: false }), look(600, { showsStart: false }));
  assert.equal(takesTap(endOnly, 600, 'allows'), false);
  const read = nextArming(unread, look(700, { showsStart: false }));
  assert.equal(takesTap(read, 700, 'allows'), true);
});

test('something else in its place is not read yet', () => {
  assert.deepEqual(after(look(0), look(600), { kind: 'replaced' }), unseen);
  const turned = after(look(0), look(600), { kind: 'turned' });
  assert.deepEqual([turned.hasShownStart, turned.hasShownEnd], [true, true]);
});

test('by chance: whenever a tap counts, it was in view for 600 ms and still for 400 ms before it', () => {
  const random = createSeededRandom(7);
  const chance = (below: number): number => (random.bytes(1)[0] ?? 0) % below;
  for (let round = 0; round < 2_000; round += 1) {
    let state = unseen;
    let atMs = 0;
    let inViewSinceMs: number | undefined;
    let movedAtMs = Number.NEGATIVE_INFINITY;
    for (let step = 0; step < 60; step += 1) {
      atMs += chance(120);
      const isInView = chance(20) > 0;
      const hasMoved = chance(12) === 0;
      if (!isInView) inViewSinceMs = undefined;
      else inViewSinceMs ??= atMs;
      if (hasMoved) movedAtMs = atMs;
      state = nextArming(state, look(atMs, { isInView, hasMoved }));
      const beganMs = atMs - chance(50);
      if (!takesTap(state, beganMs, 'allows')) continue;
      assert.ok(inViewSinceMs !== undefined && beganMs - inViewSinceMs >= 600);
      // Where the first look finds it, it has not moved yet.
      if (movedAtMs > inViewSinceMs) assert.ok(beganMs - movedAtMs >= 400);
    }
  }
});
