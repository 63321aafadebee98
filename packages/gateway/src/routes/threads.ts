/*
 * Conversations with agents over HTTP: from parsed requests to what the caller can do with them (agents/caller-threads.ts), and from rows to
 * answers.
 */
import type { Clock, Log } from '@clawdfather/kit';
import type { Api } from '@clawdfather/protocol/api';
import { CallerThreads, type CallerThreadsDeps } from '../agents/caller-threads.ts';
import { waitForEvent } from '../agents/follow-thread-events.ts';
import { answerOf, showAsk } from '../agents/show-ask.ts';
import {
  showAgent,
  showEvent,
  showOffered,
  showThread,
  showTurn,
  showTurnOf,
} from '../agents/show-thread.ts';
import { threadIdOfKey } from '../agents/thread-id-of-key.ts';
import { streamEvents } from '../agents/stream-events.ts';
import { formatEvent } from '../runs/event-stream.ts';
import { parseIdempotencyKey } from '../http/idempotency-key.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { askerOf, type Call, type Handlers, type RequestFacts } from '../http/handlers.ts';
import type { Attached } from '../uploads/hand-over.ts';
import { linksOfTurn } from '../uploads/links-of-turn.ts';
import type { Attachments } from '../uploads/open-attachments.ts';
import type { OpenStreams } from '../http/open-streams.ts';

export interface ThreadsParts extends CallerThreadsDeps {
  readonly streams: OpenStreams;
  readonly clock: Clock;
  readonly log: Log;
}

type Asked = Pick<RequestFacts, 'ip' | 'traceId'> & { readonly caller: Caller };

export function threadsOf(parts: ThreadsParts, call: Asked): CallerThreads {
  return new CallerThreads(parts, { caller: call.caller, by: askerOf(call) });
}

export function createThreadsHandlers(
  parts: ThreadsParts & { readonly attachments: Pick<Attachments, 'handOver'> },
): Handlers<Api['threads']> {
  return {
    list: async (call) => {
      const { limit, offset, status, id_prefix: idPrefix, archived, pinned } = call.query;
      const page = await threadsOf(parts, call).records.list({
        limit,
        offset,
        ...(status === undefined ? {} : { status }),
        ...(idPrefix === undefined ? {} : { idPrefix }),
        includeArchived: archived === 'true',
        isPinned: pinned === 'true',
      });
      return { items: page.items.map(showThread), total: page.total, limit, offset };
    },
    create: async (call) => {
      const { connection_id: connectionId, agent, directory, title, chosen } = call.body;
      const key = parseIdempotencyKey(call.header('idempotency-key'));
      const id = key === undefined ? undefined : threadIdOfKey(call.caller.accountId, key);
      const asked = { connectionId, agent, directory, title, chosen, id };
      return { thread: showThread(await threadsOf(parts, call).create(asked)) };
    },
    get: async (call) => {
      const mine = threadsOf(parts, call);
      const thread = await mine.thread(call.params.id);
      const turns = await mine.records.turns(thread.id);
      const standing = await mine.standings(thread, turns);
      return {
        thread: showThread(thread),
        turns: turns.map((turn) => showTurn(turn, thread.id, standing(turn))),
      };
    },
    events: async (call) => eventsOf(parts, call),
    prompt: async (call) => {
      const mine = threadsOf(parts, call);
      const { text, blocks = [{ type: 'text', text }], load_class: loadClass } = call.body;
      const say = (links: readonly Attached[]): Promise<string> =>
        mine.prompt(call.params.id, {
          blocks: [...blocks, ...links] as never,
          loadClass,
          artifactDirs: call.body.expected_artifact_dirs,
          clientMessageId: call.body.client_message_id,
          priority: call.body.priority,
          notBeforeMs: parseTime(call.body.not_before),
          chosen: call.body.chosen,
        });
      const turnId = await handOverAnd(parts, { call, mine, say });
      return { turn: await showTurnOf(mine, turnId) };
    },
    archive: async (call) => ({
      thread: showThread(await threadsOf(parts, call).archive(call.params.id)),
    }),
    unarchive: async (call) => ({
      thread: showThread(await threadsOf(parts, call).unarchive(call.params.id)),
    }),
    edit: async (call) => ({
      thread: showThread(await edited(threadsOf(parts, call), call.params.id, call.body)),
    }),
    choices: async (call) => showOffered(await threadsOf(parts, call).choices(call.params.id)),
  };
}

interface Saying {
  readonly call: Call<Api['threads']['prompt']>;
  readonly mine: CallerThreads;
  readonly say: (links: readonly Attached[]) => Promise<string>;
}

async function handOverAnd(
  { attachments }: { readonly attachments: Pick<Attachments, 'handOver'> },
  { call, mine, say }: Saying,
): Promise<string> {
  const { attachments: ids = [], client_message_id: messageId } = call.body;
  if (ids.length === 0) return await say([]);
  const thread = await mine.thread(call.params.id);
  // A prompt whose answer was lost comes again, also when its files are gone: it needs them no more.
  const sent = messageId && (await mine.records.turnOfMessage(thread.id, messageId));
  const links = sent ? linksOfTurn(sent.prompt, ids) : undefined;
  if (links !== undefined) return await say(links);
  return await attachments.handOver({ accountId: call.caller.accountId, ids, thread }, say);
}

type Edit = Call<Api['threads']['edit']>['body'];

async function edited(mine: CallerThreads, id: string, { chosen, ...edit }: Edit) {
  if (chosen !== undefined) await mine.choose(id, chosen);
  return mine.editThread(id, { title: edit.title, isPinned: edit.is_pinned });
}

async function eventsOf(parts: ThreadsParts, call: Call<Api['threads']['events']>) {
  const { caller, query, reply } = call;
  const mine = threadsOf(parts, call);
  const { id: threadId, lastSeq: newest } = await mine.thread(call.params.id);
  const { records } = mine;
  const { desk } = parts.agentThreads;
  const deps = { records, desk, clock: parts.clock, log: parts.log };
  call.leaveTurn();
  if (call.header('accept')?.includes('text/event-stream') === true) {
    const after = Number(call.header('last-event-id') || query.after);
    if (!Number.isSafeInteger(after) || after < 0) {
      throw new ApiError('validation_error', 'Last-Event-ID is the number of an event');
    }
    const onOpen = (drop: () => void) => parts.streams.add(caller, drop);
    await streamEvents(deps, { ...placeOf(threadId, { after, newest }), reply, onOpen });
    // Sent by itself; the type cannot know that nothing is looked at any more.
    return undefined as never;
  }
  const { after, limit, wait_ms: waitMs } = query;
  // What is beyond the newest is told at once by `last_seq`.
  if (waitMs > 0 && after <= newest) {
    await parts.streams.whileOpen(caller, () =>
      waitForEvent(deps, { threadId, after, waitMs }, call.signal),
    );
  }
  const items = await records.events(threadId, { after, limit });
  const { lastSeq } = await mine.thread(threadId);
  return { items: items.map(showEvent), last_seq: lastSeq };
}

/*
 * A number that the thread has not reached is one of another past: the database was restored since. What has come after that may have the
 * numbers of what the reader has seen, so all of it is told anew.
 */
function placeOf(
  threadId: string,
  { after, newest }: { readonly after: number; readonly newest: number },
) {
  if (after <= newest) return { threadId, after };
  const reset = { event: 'reset', id: '0', data: { last_seq: newest } };
  return { threadId, after: 0, first: formatEvent(reset) };
}

function parseTime(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

export function createTurnsHandlers(parts: ThreadsParts): Handlers<Api['turns']> {
  return {
    get: async (call) => ({ turn: await showTurnOf(threadsOf(parts, call), call.params.id) }),
    cancel: async (call) => {
      const mine = threadsOf(parts, call);
      const accepted = await mine.cancel(call.params.id);
      return { accepted, turn: await showTurnOf(mine, call.params.id) };
    },
  };
}

/* More than a person reads. */
const asksMax = 1_000;

export function createAsksHandlers(parts: ThreadsParts): Handlers<Api['asks']> {
  const show = async ({ records }: CallerThreads, askId: string) => {
    const ask = await records.ask(askId);
    const thread = ask && (await records.get(ask.threadId));
    if (ask === undefined || thread === undefined) throw notFound();
    return showAsk(ask, thread.agent);
  };
  return {
    list: async (call) => {
      const { records } = threadsOf(parts, call);
      const isAll = call.query.state === 'all';
      const asks = isAll ? await records.lastAsks(asksMax) : await records.openAsks();
      const agents = await Promise.all(asks.map(({ threadId }) => records.get(threadId)));
      return { items: asks.map((ask, index) => showAsk(ask, agents[index]?.agent ?? '')) };
    },
    get: async (call) => show(threadsOf(parts, call), call.params.id),
    answer: async (call) => {
      const mine = threadsOf(parts, call);
      await mine.answer(call.params.id, answerOf(call.body), call.body.digest);
      return show(mine, call.params.id);
    },
  };
}

export function createAgentsHandlers(parts: ThreadsParts): Handlers<Api['agents']> {
  const { catalogue } = parts.agentThreads;
  return {
    list: async () => ({
      default_agent: catalogue.defaultName() ?? null,
      items: catalogue.list().map(showAgent),
    }),
    choices: async (call) => {
      const { name } = call.params;
      const { connection_id: connectionId } = call.query;
      return showOffered(await threadsOf(parts, call).choicesOf(name, connectionId));
    },
  };
}
