/*
 * What one piece of an agent's text costs, as threads have been finished and as the thread has become long: the processor time of a whole
 * gateway for a turn that streams to one reader, and the statements and the time of one commit, through the store alone.
 */
import { join } from 'node:path';
import {
  type AgentSetup,
  beginRun,
  consume,
  enqueueTurn,
  admitTurn,
  holdRun,
  type MessageText,
  noText,
  type ThreadChange,
  type ThreadRecords,
  type ThreadRows,
} from '@clawdfather/agents';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { openStore, parseAccountId } from '@clawdfather/store';
import type { Cursor, RunId } from '@clawdfather/supervisor';
import { quantile } from '../measure/statistics.ts';
import { cpuUsOf } from '../gateway/server-process.ts';
import { createTalk, isEnd } from './talk.ts';
import type { World } from './world.ts';

const clock = createSystemClock();
const random = createSystemRandom();

/* Microseconds per piece, of one turn that says `pieces` things, 5 ms apart, to one reader. */
export async function cpuOfTurn(
  world: World,
  { pieces, threadId }: { readonly pieces: number; readonly threadId: string },
): Promise<number> {
  await using server = await world.start();
  using talk = createTalk(server);
  const turn = async (count: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isPrompted = false;
    const close = await talk.follow(threadId, await talk.lastSeq(threadId), (event) => {
      if (isPrompted && isEnd(event)) resolve();
    });
    isPrompted = true;
    await talk.prompt(threadId, `${count} 5000 20`);
    await promise;
    close();
  };
  await turn(20);
  const before = cpuUsOf(server.pid);
  await turn(pieces);
  return (cpuUsOf(server.pid) - before) / pieces;
}

export function databaseOf(directory: string) {
  return { kind: 'sqlite', path: join(directory, 'control.db') } as const;
}

const setup: AgentSetup = { clientVersion: '0', mcpServers: [] };
const runId = 'bench-run' as RunId;

/* Through the store alone: per commit, statements and microseconds. With the thread, for whoever makes it longer. */
export async function costOfCommits(
  directory: string,
  { commits, threadId }: { readonly commits: number; readonly threadId?: string | undefined },
): Promise<{ readonly threadId: string; readonly statements: number; readonly commitUs: number }> {
  let statements = 0;
  const onQuery = (): void => void (statements += 1);
  await using store = await openStore(databaseOf(directory), { clock, random, onQuery });
  const audit = { action: 'bench', actor: 'bench' };
  const owner = await store.system.accounts.ensureOwner({ displayName: 'bench', audit });
  const { threads } = store.forAccount(parseAccountId(owner.id));
  const given = { agent: 'streaming', cwd: '/', title: 'bench', instanceId: 'bench' };
  const id = threadId ?? (await threads.create(given)).thread.id;
  let rows = await inTurn(threads, await loaded(threads, id));
  let text: MessageText = noText();
  let cursor = rows.run?.cursor ?? ('' as Cursor);
  const took: number[] = [];
  statements = 0;
  for (let number = 1; number <= commits; number += 1) {
    const sinceNs = process.hrtime.bigint();
    const next = `${number}` as Cursor;
    const batch = { runId, epoch: 1, from: cursor, steps: [stepOf(next)] };
    const step = consume(rows, batch, { setup, text, atMs: clock.wallMs() });
    if (step.outcome !== 'consumed') throw new Error(step.outcome);
    ({ text } = step);
    rows = await commit(threads, rows, step.change);
    took.push(Number(process.hrtime.bigint() - sinceNs) / 1e3);
    cursor = next;
  }
  return { threadId: id, statements: statements / commits, commitUs: quantile(took, 0.5) };
}

function stepOf(cursor: Cursor) {
  const update = {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: 'some more words ' },
  };
  const params = { sessionId: 'one', update };
  const message = { kind: 'notification', method: 'session/update', params } as const;
  return {
    cursor,
    atMs: clock.wallMs(),
    items: [{ kind: 'message', message, bytes: 100 }],
  } as const;
}

/* With a run that is ready and a turn that runs. */
async function inTurn(threads: ThreadRecords, before: ThreadRows): Promise<ThreadRows> {
  if (before.turn !== undefined) return before;
  const atMs = clock.wallMs();
  const turn = {
    id: random.id(),
    prompt: [],
    loadClass: 'long_task',
    requester: 'device:1',
  } as const;
  const lease = {
    runId,
    leaseId: 'l',
    instanceId: 'bench',
    commandHash: 'h',
    programRoot: '/',
    programPath: '/agent',
    sessionId: undefined,
  };
  const process = { rootPid: 1, processGroupId: 1, startTicks: 1, bootId: 'b' };
  let rows = await commit(threads, before, enqueueTurn(before, turn, atMs));
  rows = await commit(threads, rows, admitTurn(rows, atMs));
  rows = await commit(threads, rows, beginRun(rows, lease, atMs));
  return commit(threads, rows, holdRun(rows, { runId, epoch: 1, process }, { setup, atMs }));
}

async function commit(
  threads: ThreadRecords,
  before: ThreadRows,
  change: ThreadChange | undefined,
): Promise<ThreadRows> {
  if (change === undefined) throw new Error('nothing was decided');
  if ((await threads.commit(before, change)) !== 'committed') throw new Error('a conflict');
  const { thread } = change.rows;
  return { ...change.rows, thread: { ...thread, version: thread.version + 1 } };
}

async function loaded(threads: ThreadRecords, id: string): Promise<ThreadRows> {
  const rows = await threads.load(id);
  if (rows === undefined) throw new Error(`there is no thread ${id}`);
  return rows;
}
