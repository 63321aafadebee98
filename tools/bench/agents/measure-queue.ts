/*
 * What a look at the queue costs, as turns wait in it: which lanes have turns that are ready, what runs, and the first few that could. And
 * what a person's look costs, who sees the first hundred with their places.
 */
import { DatabaseSync } from 'node:sqlite';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { openStore, parseAccountId } from '@clawdfather/store';
import { quantile } from '../measure/statistics.ts';
import { databaseOf } from './measure-cost.ts';

const clock = createSystemClock();
const random = createSystemRandom();

export interface QueueCost {
  readonly lookUs: number;
  readonly viewUs: number;
}

/* Every tenth has its thread to itself, and is ready; the others wait behind those. */
export async function costOfLooks(
  directory: string,
  { waiting, looks }: { readonly waiting: number; readonly looks: number },
): Promise<QueueCost> {
  const location = databaseOf(directory);
  await using store = await openStore(location, { clock, random });
  const audit = { action: 'bench', actor: 'bench' };
  const owner = await store.system.accounts.ensureOwner({ displayName: 'bench', audit });
  fill(location.path, { accountId: owner.id, waiting });
  const { queue } = store.system;
  const accountId = parseAccountId(owner.id);
  const look = async (): Promise<void> => {
    const lanes = await queue.readyLanes();
    await queue.running();
    const wanted = { instanceId: 'bench', atMs: clock.wallMs(), perLaneMax: 20 };
    await queue.ready({ lanes, ...wanted, hasAgentOnly: false });
  };
  const view = async (): Promise<void> => {
    await queue.page(accountId, 100);
  };
  return { lookUs: await timed(look, looks), viewUs: await timed(view, looks) };
}

async function timed(work: () => Promise<void>, times: number): Promise<number> {
  const took: number[] = [];
  for (let count = 0; count < times; count += 1) {
    const sinceNs = process.hrtime.bigint();
    await work();
    took.push(Number(process.hrtime.bigint() - sinceNs) / 1e3);
  }
  return quantile(took, 0.5);
}

function fill(
  path: string,
  { accountId, waiting }: { readonly accountId: string; readonly waiting: number },
): void {
  using db = new DatabaseSync(path, { timeout: 5_000 });
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${waiting - 1})`;
  db.exec('BEGIN');
  db.prepare(
    `INSERT INTO threads (account_id, id, version, agent, cwd, title, status, backend, owner_id, instance_id, last_seq, created_at_ms, updated_at_ms)
     ${numbers} SELECT ?, 'thread-' || n, 1, 'agent-' || (n % 3), '/', 't', 'queued', 'acp', 'thread-' || n, 'bench', 0, n, n
     FROM numbers WHERE n % 10 = 0`,
  ).run(accountId);
  db.prepare(
    `INSERT INTO turns (account_id, id, thread_id, place, status, prompt_json, load_class, requester, requeued_count, queued_at_ms, agent, queue_key, ready_at_ms)
     ${numbers} SELECT ?, 'turn-' || n, 'thread-' || (n - n % 10), n, 'queued', '[]', 'long_task', 'r', 0, n,
       'agent-' || ((n - n % 10) % 3), n, CASE WHEN n % 10 = 0 THEN n END FROM numbers`,
  ).run(accountId);
  db.exec('COMMIT');
}
