/*
 * Conversations with agents over HTTP: from parsed requests to the threads' calls, and from rows to answers.
 */
import type { ThreadRecords, ThreadRow } from '@clawdfather/agents';
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { Api } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import { noAgent } from '../agents/agent-catalogue.ts';
import { usualDirectory } from '../agents/usual-directory.ts';
import type { AgentThreads } from '../agents/open-threads.ts';
import { answerOf, showAsk } from '../agents/show-ask.ts';
import { showAgent, showEvent, showThread, showTurn } from '../agents/show-thread.ts';
import { waitForEvent } from '../agents/follow-thread-events.ts';
import { streamEvents } from '../agents/stream-events.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { type Caller, actorOf } from '../http/caller.ts';
import { askerOf, type Call, type Handlers } from '../http/handlers.ts';
import { newTurnTrace } from '../observe/turn-trace.ts';
import { newTrace } from '../observe/trace-context.ts';
import type { Observe } from '../observe/open-observe.ts';
import type { OpenStreams } from '../http/open-streams.ts';
import type { Runs } from '../runs/open-runs.ts';

export interface ThreadsParts {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly runs: Pick<Runs, 'users'>;
  readonly agentThreads: AgentThreads;
  readonly streams: OpenStreams;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Pick<Observe, 'currentTrace' | 'tracing'>;
  readonly log: Log;
}

function recordsOf({ store }: ThreadsParts, { accountId }: Caller): ThreadRecords {
  return store.forAccount(accountId).threads;
}

async function findThread(
  parts: ThreadsParts,
  call: { readonly caller: Caller; readonly params: { readonly id: string } },
): Promise<ThreadRow> {
  const thread = await recordsOf(parts, call.caller).get(call.params.id);
  if (thread === undefined) throw notFound();
  return thread;
}

export function createThreadsHandlers(parts: ThreadsParts): Handlers<Api['threads']> {
  const { threads } = parts.agentThreads;
  return {
    list: async ({ caller, query }) => {
      const { limit, offset, status, id_prefix: idPrefix, archived } = query;
      const page = await recordsOf(parts, caller).list({
        limit,
        offset,
        ...(status === undefined ? {} : { status }),
        ...(idPrefix === undefined ? {} : { idPrefix }),
        includeArchived: archived === 'true',
      });
      return { items: page.items.map(showThread), total: page.total, limit, offset };
    },
    create: async (call) => ({ thread: showThread(await createThread(parts, call)) }),
    get: async (call) => {
      const thread = await findThread(parts, call);
      const turns = await recordsOf(parts, call.caller).turns(thread.id);
      return { thread: showThread(thread), turns: turns.map((turn) => showTurn(turn, thread.id)) };
    },
    events: async (call) => eventsOf(parts, call),
    prompt: async (call) => {
      const { caller, params, body } = call;
      const { accountId } = caller;
      const { text, blocks = [{ type: 'text', text }] } = body;
      const { turnId } = await threads.prompt(
        { accountId, id: params.id },
        {
          blocks: blocks as never,
          loadClass: body.load_class,
          by: askerOf(call),
          clientMessageId: body.client_message_id,
          trace: traceForTurn(parts),
        },
      );
      return { turn: await turnOf(parts, caller, turnId) };
    },
    archive: async (call) => {
      const { id } = await findThread(parts, call);
      const { accountId } = call.caller;
      const audit = { action: 'thread.archive', ...askerOf(call) } as const;
      const outcome = await recordsOf(parts, call.caller).archive(id, audit);
      if (outcome === 'busy') throw new ApiError('still_running', 'a turn runs or waits in it');
      if (outcome === 'not_found') throw notFound();
      const actor = actorOf(call.caller);
      await threads.agents.closeSession({ accountId, id }, { reason: 'archived', actor });
      return { thread: showThread(await findThread(parts, call)) };
    },
  };
}

/* Below the request that brings it. */
function traceForTurn({ observe, random }: ThreadsParts): string {
  const spanId = observe.tracing.currentSpanId();
  return newTurnTrace(observe.currentTrace() ?? newTrace(random), { random, spanId });
}

async function createThread(
  parts: ThreadsParts,
  call: Call<Api['threads']['create']>,
): Promise<ThreadRow> {
  const { body } = call;
  const { accountId } = call.caller;
  const { connection_id: connectionId } = body;
  const { catalogue } = parts.agentThreads;
  const agent = body.agent ?? catalogue.defaultName();
  if (agent === undefined) throw noAgent();
  const { cwd } = connectionId === null ? catalogue.resolve(agent) : catalogue.resolveOnHost(agent);
  if (connectionId !== null) {
    const connection = await parts.store.forAccount(accountId).connections.get(connectionId);
    if (connection === undefined) throw notFound();
  }
  // A member's agent needs a Unix user of its own; the refusal says so.
  const usual = connectionId === null ? usualDirectory(parts, accountId, cwd) : '.';
  const thread = {
    agent,
    cwd: body.directory ?? usual,
    title: body.title ?? '',
    ...(connectionId === null ? {} : { connectionId }),
  };
  return parts.agentThreads.threads.create(accountId, thread, askerOf(call));
}

async function eventsOf(parts: ThreadsParts, call: Call<Api['threads']['events']>) {
  const { caller, query, reply } = call;
  const { id: threadId } = await findThread(parts, call);
  const records = recordsOf(parts, caller);
  const { desk } = parts.agentThreads;
  const deps = { records, desk, clock: parts.clock, log: parts.log };
  call.leaveTurn();
  if (call.header('accept')?.includes('text/event-stream') === true) {
    const after = Number(call.header('last-event-id') || query.after);
    if (!Number.isSafeInteger(after)) {
      throw new ApiError('validation_error', 'Last-Event-ID is the number of an event');
    }
    const onOpen = (drop: () => void) => parts.streams.add(caller, drop);
    await streamEvents(deps, { threadId, after, reply, onOpen });
    // Sent by itself; the type cannot know that nothing is looked at any more.
    return undefined as never;
  }
  const { after, limit, wait_ms: waitMs } = query;
  if (waitMs > 0) {
    await parts.streams.whileOpen(caller, () =>
      waitForEvent(deps, { threadId, after, waitMs }, call.signal),
    );
  }
  const items = await records.events(threadId, { after, limit });
  const { lastSeq } = await findThread(parts, call);
  return { items: items.map(showEvent), last_seq: lastSeq };
}

async function turnOf(parts: ThreadsParts, caller: Caller, turnId: string) {
  const turn = await recordsOf(parts, caller).turn(turnId);
  if (turn === undefined) throw notFound();
  return showTurn(turn, turn.threadId);
}

export function createTurnsHandlers(parts: ThreadsParts): Handlers<Api['turns']> {
  return {
    get: async ({ caller, params }) => ({ turn: await turnOf(parts, caller, params.id) }),
    cancel: async (call) => {
      const { caller, params } = call;
      const { threads } = parts.agentThreads;
      const { accountId } = caller;
      const accepted = await threads.agents.cancelTurn(accountId, params.id, askerOf(call));
      return { accepted, turn: await turnOf(parts, caller, params.id) };
    },
  };
}

export function createAsksHandlers(parts: ThreadsParts): Handlers<Api['asks']> {
  const show = async (caller: Caller, askId: string) => {
    const records = recordsOf(parts, caller);
    const ask = await records.ask(askId);
    const thread = ask && (await records.get(ask.threadId));
    if (ask === undefined || thread === undefined) throw notFound();
    return showAsk(ask, thread.agent);
  };
  return {
    list: async ({ caller }) => {
      const records = recordsOf(parts, caller);
      const asks = await records.openAsks();
      const agents = await Promise.all(asks.map(({ threadId }) => records.get(threadId)));
      return { items: asks.map((ask, index) => showAsk(ask, agents[index]?.agent ?? '')) };
    },
    get: async ({ caller, params }) => show(caller, params.id),
    answer: async (call) => {
      const { caller, params, body } = call;
      const { threads } = parts.agentThreads;
      const { accountId } = caller;
      const answer = answerOf(body);
      await checkMayAnswer(recordsOf(parts, caller), caller, params.id);
      await threads.answer(accountId, params.id, { answer, by: askerOf(call) });
      return show(caller, params.id);
    },
  };
}

/* What an agent may hold answers nothing of what it has asked for itself. */
async function checkMayAnswer(records: ThreadRecords, caller: Caller, askId: string) {
  if (caller.kind === 'device') return;
  const ask = await records.ask(askId);
  if (ask === undefined) return;
  const turn = ask.turnId === undefined ? undefined : await records.turn(ask.turnId);
  // Outside of a turn it may go back to any prompt of the thread.
  const ledTo = turn === undefined ? await records.turns(ask.threadId) : [turn];
  if (!ledTo.some(({ requester }) => requester === actorOf(caller))) return;
  throw new ApiError('forbidden', 'a token does not answer what its own prompt led to');
}

export function createAgentsHandlers({ agentThreads }: ThreadsParts): Handlers<Api['agents']> {
  const { catalogue } = agentThreads;
  return {
    list: async () => ({
      default_agent: catalogue.defaultName() ?? null,
      items: catalogue.list().map(showAgent),
    }),
  };
}
