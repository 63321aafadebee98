/*
 * The most frequent write of all, text of an agent: the thread, its run and the events are one statement each.
 */
import assert from 'node:assert/strict';
import { createSystemRandom } from '@clawdfather/kit';
import { openStore } from '@clawdfather/store';
import type { Cursor } from '@clawdfather/supervisor';
import { onBoth } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import { busyThread, changeOf, delta } from './thread-rows.ts';

onBoth('text of an agent is three statements', async ({ location, clock }) => {
  const seen: string[] = [];
  await using store = await openStore(location, {
    clock,
    random: createSystemRandom(),
    onQuery: ({ operation, table }) => seen.push(`${operation} ${table}`),
  });
  const { threads } = await createAccount(store, 'ann');
  const before = await busyThread(threads, 'a');
  const run = { ...before.run!, cursor: '99.0' as Cursor };
  const events = [delta(3), delta(4), delta(5)];
  const change = changeOf(before, { rows: { run }, events });
  seen.length = 0;
  assert.equal(await threads.commit(before, change), 'committed');
  assert.deepEqual(seen, ['update threads', 'update agent_runs', 'insert turn_events']);
});
