/*
 * Memory with a limit: the oldest goes, and only when there is no room.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRoom } from '@clawdfather/kit';

test('the oldest entry of a full map goes, and nothing else', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  makeRoom(map, 3);
  assert.deepEqual([...map.keys()], ['a', 'b']);
  makeRoom(map, 2);
  assert.deepEqual([...map.keys()], ['b']);
});

test('a set forgets too, and an empty one has nothing to forget', () => {
  const set = new Set([1, 2, 3]);
  makeRoom(set, 3);
  assert.deepEqual([...set], [2, 3]);
  const empty = new Set<number>();
  makeRoom(empty, 0);
  assert.equal(empty.size, 0);
});
