/*
 * `clf queue ls | mv | edit | cancel`: turns that wait for their agents.
 */
import type { Client } from '@clawdfather/sdk';
import type { Execute } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { allPages } from '../place/gateway/all-pages.ts';
import { jsonLine } from '../render/run-json.ts';
import { findQueued, readQueue } from '../threads/find-queued.ts';
import { formatQueue } from '../threads/show-queue.ts';
import { queuedTurnJson, queueJson } from '../threads/queue-json.ts';
import { readPrompt } from '../threads/read-prompt.ts';
import type { QueueAnswer, QueuedTurn } from '../threads/thread-types.ts';
import { withThreads } from '../threads/with-threads.ts';
import type {
  queueCancelSpec,
  queueEditSpec,
  queueListSpec,
  queueMoveSpec,
} from './queue-specs.ts';

export const list: Execute<typeof queueListSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, paint, clock, flags } = context;
    const queue = await readQueue(client);
    if (context.isJson) await io.stdout.write(jsonLine(queueJson(queue)));
    else if (flags.quiet) {
      for (const { turn_id: id } of queue.items) await io.stdout.write(`${id}\n`);
    } else {
      const titles = await readTitles(client, queue);
      const layout = { paint, nowMs: clock.wallMs(), columns: io.columns(), titles };
      await io.stdout.write(formatQueue(queue, layout));
    }
    return codeStatus(exitOk);
  });

/* A thread in which something waits is queued or running. */
async function readTitles(client: Client, { total }: QueueAnswer): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  for (const status of total === 0 ? [] : (['queued', 'running'] as const)) {
    const threads = await allPages((page) => client.threads.list({ query: { ...page, status } }));
    for (const { id, title } of threads) titles.set(id, title);
  }
  return titles;
}

export const move: Execute<typeof queueMoveSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { items } = await readQueue(client);
    const moved = findQueued(items, context.operands.turn);
    const before = placeBefore(items, moved, context.flags);
    if (before !== moved.turn_id) {
      await client.queue.move({ params: { id: moved.turn_id }, body: { before } });
    }
    return tellPlace(context, client, moved);
  });

export const edit: Execute<typeof queueEditSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { items } = await readQueue(client);
    const edited = findQueued(items, context.operands.turn);
    const text = await readPrompt(context.io, context.operands.words);
    await client.queue.edit({ params: { id: edited.turn_id }, body: { text } });
    return tellPlace(context, client, edited);
  });

export const cancel: Execute<typeof queueCancelSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, isJson, operands } = context;
    const { items } = await readQueue(client);
    // All are found before anything is done, so a mistyped one changes nothing.
    const turns = new Set(operands.turns.map((typed) => findQueued(items, typed)));
    for (const { turn_id: id, thread_id: threadId } of turns) {
      const { accepted } = await client.turns.cancel({ params: { id } });
      const cancelled = accepted ? [id] : [];
      const text = accepted ? 'it is out of the queue' : 'it has ended meanwhile';
      await io.stdout.write(isJson ? jsonLine({ threadId, cancelled }) : `${id}: ${text}\n`);
    }
    return codeStatus(exitOk);
  });

interface Where {
  readonly before?: string | undefined;
  readonly first: boolean;
  readonly last: boolean;
}

/* Null: the end. */
function placeBefore(
  items: readonly QueuedTurn[],
  moved: QueuedTurn,
  { before, first, last }: Where,
): string | null {
  const given = [before !== undefined, first, last].filter(Boolean).length;
  if (given !== 1) {
    throw usageError('say where to: one of --before TURN, --first and --last');
  }
  if (last) return null;
  const target = before === undefined ? items[0] : findQueued(items, before);
  return target?.turn_id ?? moved.turn_id;
}

async function tellPlace(
  { io, isJson }: Pick<Parameters<typeof move>[0], 'io' | 'isJson'>,
  client: Client,
  before: QueuedTurn,
) {
  const { turn_id: turnId } = before;
  const { items } = await readQueue(client);
  const now = items.find((item) => item.turn_id === turnId);
  if (isJson) {
    const isGone = now === undefined;
    await io.stdout.write(jsonLine(queuedTurnJson(now ?? before, { isGone })));
  } else {
    const where = now === undefined ? 'it runs now' : `${now.position} of ${items.length}`;
    const why = now === undefined ? '' : `, because ${now.reason.message}`;
    await io.stdout.write(`${turnId}: ${where}${why}\n`);
  }
  return codeStatus(exitOk);
}
