/*
 * `clf threads ls | show | cancel | archive | unarchive | rename`: conversations with agents. `follow` is in threads-follow.ts.
 */
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import type { Execute } from '../command.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { formatAge } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import { conversationOf } from '../threads/conversation.ts';
import { findThread, readThreads, shortThread } from '../threads/find-thread.ts';
import { markSeen } from '../threads/mark-seen.ts';
import { formatConversation } from '../threads/show-conversation.ts';
import { conversationJson, threadJson } from '../threads/thread-json.ts';
import { standingOfThread } from '../threads/thread-standing.ts';
import type { Thread, ThreadEvent } from '../threads/thread-types.ts';
import { withThreads } from '../threads/with-threads.ts';
import type {
  threadsArchiveSpec,
  threadsRenameSpec,
  threadsUnarchiveSpec,
  threadsCancelSpec,
  threadsListSpec,
  threadsShowSpec,
} from './agent-specs.ts';

export const list: Execute<typeof threadsListSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, paint, clock, flags } = context;
    const threads = (await readThreads(client, flags.all)).toSorted(lastChangedFirst);
    if (context.isJson) {
      for (const thread of threads) await io.stdout.write(jsonLine(threadJson(thread)));
    } else if (flags.quiet) {
      for (const { id } of threads) await io.stdout.write(`${id}\n`);
    } else if (threads.length === 0) {
      await io.stdout.write(
        flags.all
          ? 'No conversations yet. Begin one: clf ask "…"\n'
          : 'No conversations. Begin one: clf ask "…". Archived ones: clf threads ls -a\n',
      );
    } else {
      const nowMs = clock.wallMs();
      const rows = threads.map((thread) => [
        { text: shortThread(thread), paint: paint.strong },
        { text: standingOfThread(thread) },
        { text: makeVisible(thread.agent) },
        { text: formatAge(nowMs, Date.parse(thread.updated_at)) },
        { text: makeVisible(thread.directory) },
        { text: makeVisible(thread.title) },
      ]);
      const headers = ['ID', 'STATUS', 'AGENT', 'CHANGED', 'DIRECTORY', 'TITLE'];
      const layout = {
        headers,
        paintHeader: paint.dim,
        columnsMax: io.columns(),
        dispensable: ['DIRECTORY', 'AGENT'],
      };
      await io.stdout.write(formatTable(layout, rows));
    }
    return codeStatus(exitOk);
  });

export const show: Execute<typeof threadsShowSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, paint, clock } = context;
    const { id } = await findThread(client, context.operands.thread);
    const { thread, turns } = await client.threads.get({ params: { id } });
    const conversation = conversationOf(await readEvents(client, thread));
    await io.stdout.write(
      context.isJson
        ? jsonLine(conversationJson(thread, turns, conversation))
        : formatConversation(thread, conversation, { paint, nowMs: clock.wallMs() }),
    );
    await markSeen(context, client, { threadId: id, seq: thread.last_seq });
    return codeStatus(exitOk);
  });

function lastChangedFirst(one: Thread, other: Thread): number {
  return Date.parse(other.updated_at) - Date.parse(one.updated_at);
}

/* Of one answer of the gateway. */
const pageMax = 500;

/* All that there were when it was asked for. */
async function readEvents(
  client: Client,
  { id, last_seq: lastSeq }: Thread,
): Promise<readonly ThreadEvent[]> {
  const events: ThreadEvent[] = [];
  for (let after = 0; after < lastSeq; ) {
    const query = { after, limit: pageMax };
    const { items } = await client.threads.events({ params: { id }, query });
    events.push(...items);
    const last = items.at(-1);
    if (last === undefined) break;
    after = last.seq;
  }
  return events;
}

export const cancel: Execute<typeof threadsCancelSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, isJson } = context;
    for (const thread of await findAll(client, context.operands.threads)) {
      const { turns } = await client.threads.get({ params: { id: thread.id } });
      const living = turns.filter(({ status }) => status === 'queued' || status === 'running');
      for (const { id } of living) await client.turns.cancel({ params: { id } });
      const turnIds = living.map(({ id }) => id);
      const text =
        turnIds.length === 0 ? 'nothing runs or waits in it' : 'the agent is asked to stop';
      await io.stdout.write(
        isJson
          ? jsonLine({ threadId: thread.id, cancelled: turnIds })
          : `${shortThread(thread)}: ${text}\n`,
      );
    }
    return codeStatus(exitOk);
  });

export const archive: Execute<typeof threadsArchiveSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, isJson } = context;
    for (const { id } of await findAll(client, context.operands.threads)) {
      const { thread } = await client.threads.archive({ params: { id } });
      const text = `${shortThread(thread)} is archived: ${makeVisible(thread.title)}\n`;
      await io.stdout.write(isJson ? jsonLine(threadJson(thread)) : text);
    }
    return codeStatus(exitOk);
  });

export const unarchive: Execute<typeof threadsUnarchiveSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, isJson } = context;
    for (const { id } of await findAll(client, context.operands.threads)) {
      const { thread } = await client.threads.unarchive({ params: { id } });
      const text = `${shortThread(thread)} is ${thread.status}: ${makeVisible(thread.title)}\n`;
      await io.stdout.write(isJson ? jsonLine(threadJson(thread)) : text);
    }
    return codeStatus(exitOk);
  });

export const rename: Execute<typeof threadsRenameSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, isJson, operands } = context;
    const { id } = await findThread(client, operands.thread);
    const body = { title: operands.title };
    const { thread } = await client.threads.edit({ params: { id }, body });
    const text = `${shortThread(thread)} is called ${makeVisible(thread.title)}\n`;
    await io.stdout.write(isJson ? jsonLine(threadJson(thread)) : text);
    return codeStatus(exitOk);
  });

/* All are found before anything is done, so a mistyped one changes nothing. */
async function findAll(client: Client, typed: readonly string[]): Promise<readonly Thread[]> {
  const found = new Map<string, Thread>();
  for (const one of typed) {
    const thread = await findThread(client, one);
    found.set(thread.id, thread);
  }
  return [...found.values()];
}
