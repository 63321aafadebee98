/*
 * What is open is found by an index of the open ones: with 10,000 threads that have finished, no plan on either database reads them.
 */
import assert from 'node:assert/strict';
import { type CompiledQuery, sql } from 'kysely';
import { selectAccountEvents } from '../../../src/account/feed/events.ts';
import * as inbox from '../../../src/account/feed/inbox.ts';
import * as selects from '../../../src/account/threads/selects.ts';
import * as lists from '../../../src/account/threads/turn-lists.ts';
import type { Engine } from '../../../src/engine.ts';
import type { Select, SelectTarget } from '../../../src/select.ts';
import {
  countRunning,
  countWaiting,
  selectWithRuns,
  selectWithTurns,
} from '../../../src/system/due-threads.ts';
import { selectDue } from '../../../src/system/wakes.ts';
import { onBoth } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import { busyThread, instanceId, runIdOf } from './thread-rows.ts';

const finished = 10_000;
const page = { after: 1, limit: 100 };

onBoth('10,000 finished threads are not in the way', async (backend) => {
  const store = await backend.open();
  const account = await createAccount(store, 'ann');
  const { accountId } = account;
  const engine = await backend.openEngine();
  await addFinished(engine, accountId);
  const { thread } = await busyThread(account.threads, 'a');
  /* PostgreSQL does so by itself; SQLite is never asked to. */
  if (backend.kind === 'postgres') await engine.write((db) => sql`ANALYZE`.execute(db));
  const ofThread = { accountId, threadId: thread.id };
  const ofRun = { accountId, runId: runIdOf('run-a') };
  const plan = <Values extends object, Row>(select: Select<Values, Row>, values: Values) =>
    planOf(engine, (target) => select.bind(target, values));
  const newest = { accountId, codeField: undefined, limit: 20 };
  const any = { ...newest, status: undefined, orStatus: undefined };
  const openTurns = ['turns_open', 'turns_waiting', 'turns_queue', 'turns_running'];
  const openNotices = { accountId, noticeClass: 'done' as const, limit: 9 };
  const expected = [
    [await plan(selects.selectThread, ofThread), ['threads']],
    [await plan(selects.selectLiveRun, ofThread), ['agent_runs_live', 'agent_runs_instance']],
    [await plan(selects.selectSentCalls, ofRun), ['acp_calls_sent']],
    [await plan(selects.selectOpenAsksOfThread, ofThread), ['acp_asks_open']],
    [await plan(selects.selectOpenAsks, { accountId }), ['acp_asks_open']],
    [await plan(selects.selectAsksAhead, ofRun), ['acp_asks_ahead', 'acp_asks_run']],
    [await plan(selects.selectOpenTurns, ofThread), ['turns_open']],
    [await plan(selects.selectTurnOfMessage, { ...ofThread, messageId: 'm' }), ['turns_message']],
    [await plan(lists.selectEndedNewest, { ...newest, status: 'completed' }), ['turns_ended']],
    [await plan(lists.selectEndedNewest, { ...newest, status: 'failed' }), ['turns_ended']],
    [await plan(lists.selectOpenNewest, { ...newest, status: 'queued' }), openTurns],
    [await plan(lists.selectOpenNewest, { ...newest, status: 'running' }), openTurns],
    [await plan(lists.selectTurnsOfThread, { ...any, ...ofThread }), ['turns_thread']],
    [await plan(lists.selectTurnOfRun, ofRun), ['turns_run']],
    [await plan(selects.selectEvents, { ...ofThread, ...page }), ['turn_events']],
    [await plan(selects.selectFrames, { ...ofRun, from: 1 }), ['acp_frames']],
    [await plan(selectWithRuns, { instanceId }), ['agent_runs_instance', 'agent_runs_live']],
    [await plan(selectWithTurns, {}), ['turns_open']],
    [await plan(countRunning, {}), ['turns_open', 'turns_running']],
    [await plan(selectDue, { limit: 10, skip: 10 }), ['turns_wakes']],
    [await plan(countWaiting, {}), ['turns_open', 'turns_waiting', 'turns_queue']],
    [await plan(inbox.countOpenNotices, { accountId }), ['notices_open']],
    [await plan(inbox.selectOldestOpen, openNotices), ['notices_open']],
    [await plan(inbox.selectNewestOpen, openNotices), ['notices_open']],
    [await plan(inbox.selectWorking, { accountId, limit: 9 }), ['turns_running', 'turns_open']],
    [await plan(inbox.countOpenTurns, { accountId }), ['turns_']],
    [await plan(selectAccountEvents, { accountId, ...page }), ['account_events']],
  ] as const;
  for (const [text, indexes] of expected) {
    assert.ok(
      indexes.some((index) => text.includes(index)),
      `${indexes.join(' or ')}: ${text}`,
    );
    assert.doesNotMatch(text, /Seq Scan|SCAN (?!turns USING)/);
  }
  // Of those that have ended in one way, and no others.
  const failed = await plan(lists.selectEndedNewest, { ...newest, status: 'failed' });
  assert.match(failed, /turns_ended[^]*status ?=/);
  // Of these the newest 200 are read.
  const wentOn = await plan(inbox.selectWentOn, { accountId, limit: 9, amongMax: 200 });
  assert.match(wentOn, /threads_newest/);
});

/** Each with a turn, a run, an answered ask, an answered call, and one of everything else. */
async function addFinished(engine: Engine, accountId: string): Promise<void> {
  const numbers = sql`WITH RECURSIVE numbers (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${sql.lit(finished)})`;
  const name = (kind: string) => sql`${sql.lit(kind)} || n`;
  const account = sql.lit(accountId);
  const statements = [
    sql`INSERT INTO blobs (account_id, hash, body) ${numbers} SELECT ${account}, ${name('hash-')}, '{}' FROM numbers`,
    sql`INSERT INTO threads (account_id, id, version, agent, cwd, title, status, backend, owner_id, instance_id, last_seq, created_at_ms, updated_at_ms)
      ${numbers} SELECT ${account}, ${name('done-')}, 1, 'fake', '/', 't', 'ready', 'acp', ${name('done-')}, 'gateway-a', 0, n, n FROM numbers`,
    sql`INSERT INTO turns (account_id, id, thread_id, place, status, prompt_json, load_class, requester, client_message_id, requeued_count, queued_at_ms, ended_at_ms)
      ${numbers} SELECT ${account}, ${name('turn-')}, ${name('done-')}, 1, 'completed', '[]', 'long_task', 'r', 'm', 0, n, n FROM numbers`,
    sql`INSERT INTO agent_runs (account_id, run_id, thread_id, lease_id, instance_id, epoch, state, phase, command_hash, program_root, program_path, cursor, accepted_input, next_call_id, next_input_offset, replayed_count, started_at_ms, ended_at_ms)
      ${numbers} SELECT ${account}, ${name('old-')}, ${name('done-')}, 'l', 'gateway-a', 1, 'closed', 'ready', 'h', '/', '/', 'c', 0, 1, 0, 0, n, n FROM numbers`,
    sql`INSERT INTO acp_asks (account_id, id, thread_id, run_id, cursor, wire_id_json, method, class, params_json, state, asked_at_ms)
      ${numbers} SELECT ${account}, ${name('ask-')}, ${name('done-')}, ${name('old-')}, 'c', '0', 'm', 'permission', '{}', 'answered', n FROM numbers`,
    sql`INSERT INTO acp_calls (account_id, run_id, id, method, input_offset, state)
      ${numbers} SELECT ${account}, ${name('old-')}, 1, 'm', 0, 'answered' FROM numbers`,
    sql`INSERT INTO acp_frames (account_id, run_id, input_end, input_offset, text)
      ${numbers} SELECT ${account}, ${name('old-')}, 5, 0, 'x' FROM numbers`,
    sql`INSERT INTO account_events (account_id, seq, type, subject_id, payload_json, at_ms)
      ${numbers} SELECT ${account}, 1000000 + n, 'seen', ${name('done-')}, '{}', n FROM numbers`,
    sql`INSERT INTO notices (account_id, id, class, key, thread_id, subject_id, detail_json, created_at_ms, resolved_at_ms, resolution, planned_at_ms)
      ${numbers} SELECT ${account}, ${name('notice-')}, 'done', ${name('key-')}, ${name('done-')}, ${name('turn-')}, '{}', n, n, 'seen', n FROM numbers`,
    sql`INSERT INTO turn_events (account_id, thread_id, seq, type, payload_json, at_ms)
      ${numbers} SELECT ${account}, ${name('done-')}, 1, 'status', '{}', n FROM numbers`,
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
