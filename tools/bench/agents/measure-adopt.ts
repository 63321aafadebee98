/*
 * A gateway is killed (SIGKILL) while many agents are in the middle of a turn, and another is started. Counted from the moment at which the
 * new one says that it listens: until each of them is read on, which is when something that it said after the kill is stored.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSystemClock } from '@clawdfather/kit';
import type { ServerProcess } from '../gateway/server-process.ts';
import { createTalk } from './talk.ts';
import type { World } from './world.ts';

export interface AdoptOptions {
  readonly rounds: number;
  readonly agents: number;
  /* Each says something so often. */
  readonly intervalMs: number;
}

export interface AdoptRound {
  /* From its start until it listens. */
  readonly startMs: number;
  /* From then on. */
  readonly firstMs: number;
  readonly allMs: number;
}

const clock = createSystemClock();
const lookMs = 10;
const patienceMs = 120_000;

export async function measureAdopt(
  world: World,
  { rounds, agents, intervalMs }: AdoptOptions,
): Promise<readonly AdoptRound[]> {
  let server = await world.start();
  const found: AdoptRound[] = [];
  try {
    await startTurns(server, { agents, intervalMs });
    using database = new DatabaseSync(join(world.directory, 'control.db'), { readOnly: true });
    const cursors = createCursors(database);
    await untilAll(agents, () => countWhere(cursors(), () => true));
    for (let round = 0; round < rounds; round += 1) {
      await kill(server);
      const before = cursors();
      const startedMs = clock.monotonicMs();
      server = await world.start();
      const listensMs = clock.monotonicMs();
      const isOn = (cursor: string, runId: string): boolean => before.get(runId) !== cursor;
      const firstMs = await untilAll(1, () => countWhere(cursors(), isOn));
      const allMs = await untilAll(agents, () => countWhere(cursors(), isOn));
      found.push({
        startMs: listensMs - startedMs,
        firstMs: Math.max(0, firstMs - listensMs),
        allMs: Math.max(0, allMs - listensMs),
      });
    }
  } finally {
    await server[Symbol.asyncDispose]();
  }
  return found;
}

async function startTurns(
  server: ServerProcess,
  { agents, intervalMs }: Omit<AdoptOptions, 'rounds'>,
): Promise<void> {
  using talk = createTalk(server);
  for (let agent = 0; agent < agents; agent += 1) {
    await talk.prompt(await talk.createThread(), `0 ${intervalMs * 1_000} 20`);
  }
}

async function kill(server: ServerProcess): Promise<void> {
  process.kill(server.pid, 'SIGKILL');
  await server[Symbol.asyncDispose]();
}

/* Where each agent in a turn is read up to. */
function createCursors(database: DatabaseSync): () => ReadonlyMap<string, string> {
  const statement = database.prepare(
    `SELECT agent_runs.run_id, agent_runs.cursor FROM agent_runs
     JOIN turns ON turns.account_id = agent_runs.account_id AND turns.run_id = agent_runs.run_id
     WHERE agent_runs.ended_at_ms IS NULL AND turns.status = 'running' AND agent_runs.open_message_json IS NOT NULL`,
  );
  return () =>
    new Map(statement.all().map(({ run_id: runId, cursor }) => [String(runId), String(cursor)]));
}

function countWhere(
  cursors: ReadonlyMap<string, string>,
  isCounted: (cursor: string, runId: string) => boolean,
): number {
  return [...cursors].filter(([runId, cursor]) => isCounted(cursor, runId)).length;
}

/* When it was so. */
async function untilAll(wanted: number, count: () => number): Promise<number> {
  const limitMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    const nowMs = clock.monotonicMs();
    const found = count();
    if (found >= wanted) return nowMs;
    if (nowMs > limitMs) throw new Error(`${found} of ${wanted} agents are read on`);
    await clock.sleep(lookMs);
  }
}
