/*
 * A thread is read back from its end: by its key, as many rows as are asked for, and no blob with them.
 */
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { selectEventsBefore } from '../../../src/account/threads/history.ts';
import { onBoth } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import { changeOf, committed, delta, newThread, oddText } from './thread-rows.ts';

onBoth(
  'events come newest first, and a large one with its beginning and its size',
  async (backend) => {
    const { threads, history } = await createAccount(await backend.open(), 'ann');
    const before = await newThread(threads);
    const large = { title: oddText, output: 'ü'.repeat(100_000) };
    const events = [delta(1), delta(2, large), delta(3)];
    const { id } = before.thread;
    await committed(threads, before, changeOf(before, { events }));
    const page = await history.before(id, { before: 9, limit: 2 });
    assert.deepEqual(
      page.map(({ seq }) => seq),
      [3, 2],
    );
    const [small, big] = page;
    assert.deepEqual([small?.payload, small?.wholeBytes], [{ text: 't3' }, undefined]);
    assert.equal(big?.wholeBytes, Buffer.byteLength(JSON.stringify(large)));
    const { title, output } = big.payload;
    assert.equal(title, oddText);
    assert.ok(typeof output === 'string' && large.output.startsWith(output));
    assert.ok(output.length > 1_000 && output.length < 10_000);
    const rest = await history.before(id, { before: 2, limit: 2 });
    assert.deepEqual(
      rest.map(({ seq }) => seq),
      [1],
    );
    assert.deepEqual(await history.before(id, { before: 1, limit: 2 }), []);
  },
);

onBoth('an event is read in pieces, which together are its payload', async (backend) => {
  const { threads, history } = await createAccount(await backend.open(), 'ann');
  const before = await newThread(threads);
  const payloads = [{ text: oddText }, { output: '😀ü'.repeat(50_000) }];
  const events = payloads.map((payload, index) => delta(index + 1, payload));
  const { id } = before.thread;
  await committed(threads, before, changeOf(before, { events }));
  for (const [index, payload] of payloads.entries()) {
    let json = '';
    for (let offset = 0; ; offset += 30_001) {
      const piece = await history.eventText(id, { seq: index + 1, offset, limit: 30_001 });
      assert.ok(piece !== undefined);
      json += piece.text;
      if (offset + 30_001 < piece.characters) continue;
      assert.equal(Array.from(json).length, piece.characters);
      break;
    }
    assert.deepEqual(JSON.parse(json), payload);
  }
  assert.equal(await history.eventText(id, { seq: 3, offset: 0, limit: 1 }), undefined);
});

onBoth('a page of 10,000 events reads its own rows, by the key', async (backend) => {
  const store = await backend.open();
  const account = await createAccount(store, 'ann');
  const { thread } = await newThread(account.threads);
  const engine = await backend.openEngine();
  const { accountId } = account;
  await engine.write((db) =>
    sql`INSERT INTO turn_events (account_id, thread_id, seq, type, payload_json, at_ms)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
      SELECT ${accountId}, ${thread.id}, n, 'delta', '{}', n FROM numbers`.execute(db),
  );
  if (backend.kind === 'postgres') await engine.write((db) => sql`ANALYZE`.execute(db));
  const wanted = { accountId, threadId: thread.id, before: 5_001, limit: 100 };
  const { dialect } = engine;
  const plan = await engine.read(async (db) => {
    const query = selectEventsBefore.bind({ dialect, db }, wanted);
    const explain = dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN (ANALYZE, TIMING OFF)';
    const { rows } = await db.executeQuery({ ...query, sql: `${explain} ${query.sql}` });
    return rows.map((row) => JSON.stringify(row)).join('\n');
  });
  assert.match(plan, /turn_events/);
  assert.doesNotMatch(plan, /Seq Scan on turn_events|SCAN turn_events|TEMP B-TREE|Sort/, plan);
  // What it counted itself: no more rows than were asked for.
  if (backend.kind === 'postgres') assert.match(plan, /turn_events.*rows=100(?:\.00)? loops=1/);
  const page = await account.history.before(thread.id, { before: 5_001, limit: 100 });
  assert.deepEqual([page.length, page[0]?.seq, page.at(-1)?.seq], [100, 5_000, 4_901]);
});
