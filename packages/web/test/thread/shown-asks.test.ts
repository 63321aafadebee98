/*
 * Cards that somebody else has decided stay while their turn runs, and say what became of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ask } from '../../src/text/thread-words.ts';
import { createShownAsks } from '../../src/thread/shown-asks.ts';

const ask = (id: string, more: Partial<Ask> = {}) =>
  ({ id, turn_id: 'turn', state: 'open', decided_by: null, ...more }) as Ask;

test('decided elsewhere: the card stays, with who decided, until its turn ends', async () => {
  const read = async (id: string) => ask(id, { state: 'answered', decided_by: 'device:laptop' });
  const shown = createShownAsks(read);
  assert.deepEqual(await shown.next([ask('a'), ask('b')], 'turn'), [ask('a'), ask('b')]);
  const [first, second] = await shown.next([ask('b')], 'turn');
  assert.deepEqual([first?.state, first?.decided_by], ['answered', 'device:laptop']);
  assert.equal(second?.state, 'open');
  assert.deepEqual(await shown.next([], undefined), []);
});

test('decided here, or not readable now', async () => {
  const shown = createShownAsks(() => Promise.reject(new Error('no network')));
  await shown.next([ask('mine'), ask('other')], 'turn');
  shown.decidedHere('mine');
  assert.deepEqual(
    (await shown.next([], 'turn')).map(({ id, state }) => [id, state]),
    [['other', 'open']],
  );
});
