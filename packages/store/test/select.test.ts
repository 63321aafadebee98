/*
 * Reads that are compiled once: other values, other answers; and a page always says how many there are.
 */
import assert from 'node:assert/strict';
import type { AccountQueries } from '@clawdfather/store';
import { createSelect } from '../src/select.ts';
import { onBoth } from './backends.ts';
import { audit, createWorld, owner } from './world.ts';

interface Filter {
  readonly accountId: string;
  readonly status?: 'active' | 'closed' | undefined;
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
    const all = db.selectFrom('session_leases').select('id').where('account_id', '=', accountId);
    return (status === undefined ? all : all.where('status', '=', status)).limit(limit);
  });
  const read = async (values: Filter): Promise<readonly string[]> =>
    (await engine.select(select, values)).map(({ id }) => id);
  assert.deepEqual(await read({ accountId: ann.account.accountId, limit: 9 }), [ann.sessionId]);
  assert.deepEqual(await read({ accountId: bob.account.accountId, limit: 9 }), [bob.sessionId]);
  assert.equal(built, 1);
  const absent = { accountId: ann.account.accountId, status: undefined, limit: 9 };
  assert.deepEqual(await read(absent), [ann.sessionId]);
  assert.equal(built, 1, 'a value that is not there is like one that was never named');
  assert.deepEqual(await read({ ...absent, status: 'closed' }), []);
  assert.equal(built, 2);
  await assert.rejects(read({ accountId: 'a\0', limit: 9 }), { code: 'value-invalid' });
});

onBoth('a page and its total agree, also beyond the end and with a filter', async ({ open }) => {
  const { account } = await createWorld(await open());
  for (let index = 1; index < 5; index += 1) await createSession(account);
  const sizes = async (query: Parameters<typeof account.sessions.list>[0]) => {
    const { items, total } = await account.sessions.list(query);
    assert.ok(items.every((item) => !('pageTotal' in item)));
    return [items.length, total];
  };
  assert.deepEqual(await sizes({}), [5, 5]);
  assert.deepEqual(await sizes({ limit: 2, offset: 4 }), [1, 5]);
  assert.deepEqual(await sizes({ limit: 2, offset: 40 }), [0, 5]);
  assert.deepEqual(await sizes({ status: 'active' }), [1, 1]);
  assert.deepEqual(await sizes({ status: 'error', offset: 3 }), [0, 0]);
  const closed = await account.sessions.list({ status: 'closed' });
  assert.deepEqual(closed, { items: [], total: 0 });
});

onBoth('lists asked for at the same time do not disturb each other', async ({ open }) => {
  const { account } = await createWorld(await open());
  const totals = await Promise.all([
    account.sessions.list(),
    account.connections.list(),
    account.sessions.list({ status: 'active' }),
    account.sessions.list({ status: 'closed' }),
  ]);
  assert.deepEqual(
    totals.map(({ total }) => total),
    [1, 1, 1, 0],
  );
});

onBoth('inside a transaction a read sees what the transaction wrote', async ({ open }) => {
  const { account } = await createWorld(await open());
  const seen = await account.transaction(async (queries) => {
    await createSession(queries);
    return (await queries.sessions.list()).total;
  });
  assert.equal(seen, 2);
});

async function createSession({ sessions }: AccountQueries): Promise<void> {
  const made = await sessions.create({ agent: 'claude', owner, openMax: 9, audit });
  assert.equal(made.outcome, 'created');
}
