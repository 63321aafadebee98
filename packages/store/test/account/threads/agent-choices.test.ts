/*
 * What agents let people choose is remembered with the change that brings it.
 */
import assert from 'node:assert/strict';
import type { ThreadRows } from '@clawdfather/agents';
import { onBoth } from '../../backends.ts';
import { audit, createAccount, createWorld } from '../../world.ts';
import { bareRun, changeOf, committed, fullRun, newThread, runIdOf } from './thread-rows.ts';

const runId = runIdOf('run-1');

onBoth(
  'what an agent offers is remembered for its host, the newest of all threads',
  async (backend) => {
    const { threads } = await createAccount(await backend.open(), 'ann');
    const { choices = [] } = fullRun(runId);
    const other = choices.map((choice) => ({ ...choice, current: 'code' }));
    assert.equal(await threads.offered('fake'), undefined);
    const before = await newThread(threads);
    const run = { ...bareRun(runId), phase: 'ready', choices } as const;
    const first = await committed(threads, before, changeOf(before, { rows: { run } }));
    assert.deepEqual((await threads.offered('fake'))?.choices, choices);
    assert.equal(await threads.offered('fake', 'host'), undefined);
    const another = await newThread(threads);
    const later = { ...bareRun(runIdOf('run-2')), phase: 'ready', choices: other } as const;
    await committed(threads, another, changeOf(another, { rows: { run: later } }));
    assert.deepEqual((await threads.offered('fake'))?.choices, other);
    // What it has said before is no news.
    const same = { ...first.run!, epoch: 9 };
    await committed(threads, first, changeOf(first, { rows: { run: same } }));
    assert.deepEqual((await threads.offered('fake'))?.choices, other);
  },
);

onBoth('what a run begins with is not what its agent has said', async (backend) => {
  const { threads } = await createAccount(await backend.open(), 'ann');
  const { choices = [] } = fullRun(runId);
  const before = await newThread(threads);
  const run = { ...bareRun(runId), choices };
  await committed(threads, before, changeOf(before, { rows: { run } }));
  assert.equal(await threads.offered('fake'), undefined);
});

onBoth(
  'what agents offer on a host is forgotten with it, and nothing is remembered of one that is gone',
  async (backend) => {
    const world = await createWorld(await backend.open());
    const { account, keypairId } = world;
    const { threads, connections } = account;
    const { choices = [] } = fullRun(runId);
    const fields = { label: 'other', host: 'other.test', port: 22, username: 'me', keypairId };
    const created = await connections.create({ fields, audit });
    assert.equal(created.outcome, 'created');
    const { id: gone } = created.connection;
    const sayOffered = async (before: ThreadRows, run: string): Promise<void> => {
      const said = { ...bareRun(runIdOf(run)), phase: 'ready', choices } as const;
      await committed(threads, before, changeOf(before, { rows: { run: said } }));
    };
    const late = await newThread(threads, { connectionId: gone });
    await sayOffered(await newThread(threads), 'run-1');
    await sayOffered(await newThread(threads, { connectionId: world.connectionId }), 'run-2');
    await sayOffered(await newThread(threads, { connectionId: gone }), 'run-3');
    assert.deepEqual((await threads.offered('fake', gone))?.choices, choices);
    assert.equal(await connections.remove({ id: gone, audit }), 'removed');
    assert.equal(await threads.offered('fake', gone), undefined);
    assert.ok(await threads.offered('fake', world.connectionId));
    assert.ok(await threads.offered('fake'));
    await sayOffered(late, 'run-4');
    assert.equal(await threads.offered('fake', gone), undefined);
  },
);
