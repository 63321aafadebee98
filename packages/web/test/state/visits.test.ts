/*
 * What a screen finds of its last visit: all of it when a person comes back, nothing when it is opened afresh.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openVisits, wayBack } from '../../src/state/visits.ts';

/* A page whose history goes where a test says. */
function openRig() {
  const listeners = new Map<string, () => void>();
  const page = {
    history: { state: undefined as unknown },
    addEventListener: (name: string, listener: () => void) => void listeners.set(name, listener),
  };
  const step = (name: 'popstate' | 'pushState', state: unknown): void => {
    page.history.state = state;
    listeners.get(name)?.();
  };
  return {
    visits: openVisits(page),
    open: (state: unknown = null) => step('pushState', state),
    goBack: () => step('popstate', null),
  };
}

test('a visit is found again by who comes back, by the history or by a way back, and not by who opens it afresh', () => {
  const { visits, open, goBack } = openRig();
  visits.of('/threads').set('filter', 'mine');
  assert.equal(visits.of('/threads').get('filter'), 'mine', 'the same visit, asked by another');
  open();
  assert.equal(visits.of('/threads/1').size, 0);
  goBack();
  assert.equal(visits.of('/threads').get('filter'), 'mine');
  open();
  open(wayBack);
  assert.equal(visits.of('/threads').get('filter'), 'mine');
  open();
  assert.equal(visits.of('/threads').size, 0);
  goBack();
  assert.equal(visits.of('/threads').size, 0, 'the last visit counts, and nothing was left in it');
});

test('so many visits are remembered and no more, and none when they are to be forgotten', () => {
  const { visits, open, goBack } = openRig();
  for (let n = 0; n < 60; n += 1) {
    visits.of(`/threads/${n}`).set('n', n);
    open();
  }
  goBack();
  assert.equal(visits.of('/threads/59').get('n'), 59);
  assert.equal(visits.of('/threads/0').size, 0, 'the oldest has left');
  visits.forget();
  assert.equal(visits.of('/threads/59').size, 0);
});

test('who is there first receives the person who comes, once; the first screen of a page is not come to', () => {
  const { visits, open, goBack } = openRig();
  assert.equal(visits.takeArrival(), false);
  open();
  assert.equal(visits.takeArrival(), true);
  assert.equal(visits.takeArrival(), false);
  goBack();
  assert.equal(visits.takeArrival(), true);
});
