/*
 * A look at the queue reads no more with 10,000 turns that wait than with ten: every plan is a search of an index, on both databases.
 */
import assert from 'node:assert/strict';
import { type CompiledQuery, sql } from 'kysely';
import { selectRunningCounts, selectWaitingCounts } from '../../src/account/threads/lanes.ts';
import type { Engine } from '../../src/engine.ts';
import type { Select, SelectTarget } from '../../src/select.ts';
import * as selects from '../../src/system/queue-selects.ts';
import { onBoth } from '../backends.ts';
import { createAccount } from '../world.ts';

const waiting = 10_000;

onBoth('10,000 turns that wait are not in the way of a look', async (backend) => {
  const store = await backend.open();
  const { accountId } = await createAccount(store, 'ann');
  const engine = await backend.openEngine();
  await addWaiting(engine, accountId);
  if (backend.kind === 'postgres') await engine.write((db) => sql`ANALYZE`.execute(db));
  const plan = <Values extends object, Row>(select: Select<Values, Row>, values: Values) =>
    planOf(engine, (target) => select.bind(target, values));
  const lane = { accountId, agent: 'agent-1' };
  const ready = { ...lane, instanceId: 'here', atMs: 1, limit: 20, hasAgentOnly: undefined };
  const limits = { agentMax: 20, accountMax: 100, gatewayMax: 500 };
  const expected = [
    [await plan(selects.selectRunning, {}), ['turns_open', 'turns_running']],
    [await plan(selects.selectNextReadyLane, { account: '', agent: '' }), ['turns_ready']],
    // PostgreSQL may prefer to sort what is ready of one agent: still no turn that waits behind another.
    [await plan(selects.selectReady, ready), ['turns_ready', 'turns_overdue']],
    [
      await plan(selects.selectReady, { ...ready, hasAgentOnly: 1 }),
      ['turns_ready', 'turns_overdue'],
    ],
    [
      await plan(selects.selectOverdue, { agent: 'agent-1', readyBeforeMs: 9, limit: 9 }),
      ['turns_overdue'],
    ],
    [await plan(selects.selectLastKey, { accountId }), ['turns_queue_end']],
    [await plan(selects.selectQueue, { accountId, limit: 9 }), ['turns_queue']],
    [
      await plan(selectRunningCounts, { ...lane, instanceId: 'here' }),
      ['turns_open', 'turns_running'],
    ],
    // Where every row waits PostgreSQL needs no index to find the first few; it stops at the limit.
    [await plan(selectWaitingCounts, { ...lane, ...limits }), ['turns_waiting', 'Limit']],
  ] as const;
  for (const [text, indexes] of expected) {
    assert.ok(
      indexes.some((index) => text.includes(index)),
      `${indexes.join(' or ')}: ${text}`,
    );
    // A scan that ends at its limit is none, and neither is one of what a subquery has counted.
    assert.doesNotMatch(text, /SCAN (?!turns USING|counted|\(subquery|CONSTANT)/);
  }
  const { queue } = store.system;
  const lanes = await queue.readyLanes();
  assert.equal(lanes.length, 3);
  const found = await queue.ready({
    lanes,
    instanceId: 'here',
    atMs: 1,
    perLaneMax: 20,
    hasAgentOnly: false,
  });
  assert.equal(found.length, 60, 'the first of each lane, and no more');
});

/** A tenth of them is ready, each before nine others of its thread. */
async function addWaiting(engine: Engine, accountId: string): Promise<void> {
  const numbers = sql`WITH RECURSIVE numbers (n) AS (
    SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${sql.lit(waiting - 1)})`;
  const account = sql.lit(accountId);
  const statements = [
    sql`INSERT INTO threads (account_id, id, version, agent, cwd, title, status, backend, owner_id, instance_id, last_seq, created_at_ms, updated_at_ms)
      ${numbers} SELECT ${account}, 'thread-' || n, 1, 'agent-' || (n % 3), '/', 't', 'queued', 'acp', 'thread-' || n, 'here', 0, n, n
      FROM numbers WHERE n % 10 = 0`,
    sql`INSERT INTO turns (account_id, id, thread_id, place, status, prompt_json, load_class, requester, requeued_count, queued_at_ms, agent, queue_key, ready_at_ms)
      ${numbers} SELECT ${account}, 'turn-' || n, 'thread-' || (n - n % 10), n, 'queued', '[]', 'long_task', 'r', 0, n,
        'agent-' || ((n - n % 10) % 3), n, CASE WHEN n % 10 = 0 THEN n END FROM numbers`,
  ];
  for (const statement of statements) await engine.write((db) => statement.execute(db));
}

async function planOf(
  engine: Engine,
  bind: (target: SelectTarget) => CompiledQuery,
): Promise<string> {
  const { dialect } = engine;
  return await engine.read(async (db) => {
    const query = bind({ dialect, db });
    const explain = dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const { rows } = await db.executeQuery({ ...query, sql: `${explain} ${query.sql}` });
    return rows.map((row) => JSON.stringify(row)).join('\n');
  });
}
