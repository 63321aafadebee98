/*
 * Reads that are compiled once: other values, other answers; and a page always says how many there are.
 */
import assert from 'node:assert/strict';
import { createSelect } from '../src/select.ts';
import { onBoth } from './backends.ts';
import { audit, createWorld } from './world.ts';

interface Filter {
  readonly accountId: string;
  readonly status?: 'ready' | 'archived' | undefined;
  readonly limit: number;
}

onBoth('a read is built once for each set of values, and bound anew each time', async (backend) => {
  const store = await backend.open();
  const ann = await createWorld(store, 'ann');
  const bob = await createWorld(store, 'bob');
  const engine = await backend.openEngine();
  let built = 0;
  const select = createSelect((db, { accountId, status, limit }: Filter) => {
    built += 1;
    const all = db.selectFrom('threads').select('id').where('account_id', '=', accountId);
    return (status === undefined ? all : all.where('lifecycle_status', '=', status)).limit(limit);
  });
  const read = async (values: Filter): Promise<readonly string[]> =>
    (await engine.select(select, values)).map(({ id }) => id);
  assert.deepEqual(await read({ accountId: ann.account.accountId, limit: 9 }), [ann.threadId]);
  assert.deepEqual(await read({ accountId: bob.account.accountId, limit: 9 }), [bob.threadId]);
  assert.equal(built, 1);
  const absent = { accountId: ann.account.accountId, status: undefined, limit: 9 };
  assert.deepEqual(await read(absent), [ann.threadId]);
  assert.equal(built, 1, 'a value that is not there is like one that was never named');
  assert.deepEqual(await read({ ...absent, status: 'archived' }), []);
  assert.equal(built, 2);
  await assert.rejects(read({ accountId: 'a\0', limit: 9 }), { code: 'value-invalid' });
});

onBoth('a page and its total agree, also beyond the end and with a filter', async ({ open }) => {
  const { account, sessionId, threadId } = await createWorld(await open());
  for (let index = 1; index < 5; index += 1) {
    await account.threads.create({ sessionId, title: `t${index}`, audit });
  }
  const sizes = async (query: Parameters<typeof account.threads.list>[0]) => {
    const { items, total } = await account.threads.list(query);
    assert.ok(items.every((item) => !('pageTotal' in item)));
    return [items.length, total];
  };
  assert.deepEqual(await sizes({}), [5, 5]);
  assert.deepEqual(await sizes({ limit: 2, offset: 4 }), [1, 5]);
  assert.deepEqual(await sizes({ limit: 2, offset: 40 }), [0, 5]);
  assert.deepEqual(await sizes({ status: 'queued' }), [1, 1]);
  assert.deepEqual(await sizes({ sessionId: 'nobody', offset: 3 }), [0, 0]);
  const turns = await account.turns.list({ threadId, status: 'completed' });
  assert.deepEqual(turns, { items: [], total: 0 });
});

onBoth('lists asked for at the same time do not disturb each other', async ({ open }) => {
  const { account } = await createWorld(await open());
  const totals = await Promise.all([
    account.sessions.list(),
    account.threads.list(),
    account.connections.list(),
    account.turns.list(),
    account.sessions.list({ status: 'active' }),
  ]);
  assert.deepEqual(
    totals.map(({ total }) => total),
    [1, 1, 1, 1, 1],
  );
});

onBoth('inside a transaction a read sees what the transaction wrote', async ({ open }) => {
  const { account, sessionId } = await createWorld(await open());
  const seen = await account.transaction(async ({ threads }) => {
    await threads.create({ sessionId, title: 'new', audit });
    return (await threads.list()).total;
  });
  assert.equal(seen, 2);
});
