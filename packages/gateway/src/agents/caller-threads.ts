/*
 * What one caller can do with conversations. Every way to them leads through here: HTTP, JSON-RPC and sockets translate their wires to
 * these actions, and decide nothing themselves.
 *
 * Whose thread it is, is decided by the database: the records are those of the caller's account. A class, because there is one per
 * request.
 */
import type {
  ArtifactSyncRow,
  AskAnswer,
  Chosen,
  Choosing,
  LoadClass,
  Offered,
  ThreadEdit,
  ThreadRow,
  TurnEdit,
  TurnRow,
} from '@clawdfather/agents';
import type { JsonObject } from '@clawdfather/agents';
import type { Random } from '@clawdfather/kit';
import type { Asker } from '@clawdfather/sessions';
import type { AccountStore, Store } from '@clawdfather/store';
import type { PollFacts, QueuePlace, QueueView } from '@clawdfather/threads';
import type { TurnArtifacts } from '../artifacts/turn-artifacts.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { actorOf, type Caller } from '../http/caller.ts';
import type { Observe } from '../observe/open-observe.ts';
import { newTrace } from '../observe/trace-context.ts';
import { newTurnTrace } from '../observe/turn-trace.ts';
import type { Runs } from '../runs/open-runs.ts';
import { noAgent, noAgentCalled } from './agent-catalogue.ts';
import { checkDigest } from '../runs/decide-approval.ts';
import { checkMayAnswer } from './may-answer.ts';
import { checkMayChoose } from './may-choose.ts';
import { messageHashOf } from './message-hash.ts';
import { digestOf } from './show-ask.ts';
import type { AgentThreads } from './open-threads.ts';
import {
  type DirectoryLookDeps,
  refuseNoDirectory,
  refuseNoDirectoryOnHost,
} from './refuse-no-directory.ts';
import { usualDirectory } from './usual-directory.ts';

export interface CallerThreadsDeps extends Pick<DirectoryLookDeps, 'hosts' | 'shells' | 'clock'> {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly runs: Pick<Runs, 'users'>;
  readonly agentThreads: AgentThreads;
  readonly random: Random;
  readonly observe: Pick<Observe, 'currentTrace' | 'tracing'>;
}

export interface NewConversation {
  /* Made from a key of the client: there is one thread of this id, however often it is asked for. */
  readonly id?: string | undefined;
  readonly agent?: string | undefined;
  /* Null: the gateway's own machine. */
  readonly connectionId: string | null;
  readonly directory?: string | undefined;
  readonly title?: string | undefined;
  readonly chosen?: Chosen | undefined;
}

export interface SaidPrompt {
  readonly blocks: readonly JsonObject[];
  readonly loadClass: LoadClass;
  /* Where files are expected at the end, below the thread's directory; absent: the usual places. */
  readonly artifactDirs?: readonly string[] | undefined;
  /* The same one twice is one turn. */
  readonly clientMessageId?: string | undefined;
  readonly priority?: number | undefined;
  readonly notBeforeMs?: number | undefined;
  /* Of its agent, with the message. */
  readonly chosen?: Choosing['chosen'] | undefined;
}

/* Where a turn stands if it waits, and how the look at what it has left went, if there was one. */
export interface TurnStanding {
  readonly sync: ArtifactSyncRow | undefined;
  readonly place: QueuePlace | undefined;
  /* Undefined: it has ended. */
  readonly poll: PollFacts | undefined;
}

export type TurnOfThread = TurnRow & { readonly threadId: string };

/* Its members throw an `ApiError`, or what the threads throw. */
export class CallerThreads {
  readonly #deps: CallerThreadsDeps;
  readonly #caller: Caller;
  readonly #by: Asker;
  readonly records: AccountStore['threads'];

  constructor(deps: CallerThreadsDeps, { caller, by }: { caller: Caller; by: Asker }) {
    this.#deps = deps;
    this.#caller = caller;
    this.#by = by;
    this.records = deps.store.forAccount(caller.accountId).threads;
  }

  async thread(id: string): Promise<ThreadRow> {
    const thread = await this.records.get(id);
    if (thread === undefined) throw notFound();
    return thread;
  }

  async turn(id: string): Promise<TurnOfThread> {
    const turn = await this.records.turn(id);
    if (turn === undefined) throw notFound();
    return turn;
  }

  /* How the look at what a turn has left went; undefined: there was none. */
  syncOf(turnId: string): Promise<ArtifactSyncRow | undefined> {
    return this.#deps.store.forAccount(this.#caller.accountId).artifacts.syncOf(turnId);
  }

  /* The same of all turns of a thread, by turn. */
  async syncsOf(threadId: string): Promise<ReadonlyMap<string, ArtifactSyncRow>> {
    const { artifacts } = this.#deps.store.forAccount(this.#caller.accountId);
    return new Map((await artifacts.syncsOf(threadId)).map((sync) => [sync.turnId, sync]));
  }

  /* What a turn has left, with addresses to download it from. */
  artifactsOf(turnId: string): Promise<TurnArtifacts> {
    return this.#deps.agentThreads.artifacts.ofTurn(this.#caller.accountId, turnId);
  }

  async create(asked: NewConversation): Promise<ThreadRow> {
    const { accountId } = this.#caller;
    const { connectionId, id, chosen } = asked;
    checkMayChoose(this.#caller, chosen);
    const { catalogue, threads } = this.#deps.agentThreads;
    const agent = asked.agent ?? catalogue.defaultName();
    if (agent === undefined) throw noAgent();
    // What was made before is there, whatever has become of its directory since.
    const isMade = id !== undefined && (await this.records.get(id)) !== undefined;
    const directory = isMade ? undefined : asked.directory;
    const { cwd } =
      connectionId === null ? catalogue.resolve(agent) : catalogue.resolveOnHost(agent);
    if (connectionId !== null) {
      const connection = await this.#deps.store.forAccount(accountId).connections.get(connectionId);
      if (connection === undefined) throw notFound();
      if (directory !== undefined) {
        await refuseNoDirectoryOnHost(this.#deps, { ...connection, accountId }, directory);
      }
    } else if (directory !== undefined) {
      await refuseNoDirectory(this.#deps, accountId, directory);
    }
    // A member's agent needs a Unix user of its own; the refusal says so.
    const usual = connectionId === null ? usualDirectory(this.#deps, accountId, cwd) : '.';
    const thread = {
      agent,
      cwd: asked.directory ?? usual,
      title: asked.title ?? '',
      ...(connectionId === null ? {} : { connectionId }),
      ...(id === undefined ? {} : { id }),
      ...(chosen === undefined || isNone(chosen) ? {} : { chosen }),
    };
    const made = await threads.create(accountId, thread, this.#by);
    // With an id it may be the one of an earlier request, which is not as new as this one.
    return id === undefined ? made : sameThread(await this.thread(id), asked);
  }

  /* The id of the turn. */
  async prompt(threadId: string, prompt: SaidPrompt): Promise<string> {
    checkMayChoose(this.#caller, prompt.chosen);
    const name = { accountId: this.#caller.accountId, id: threadId };
    const messageHash = messageHashOf(prompt);
    const said = { ...prompt, messageHash, by: this.#by, trace: this.#traceForTurn() };
    return (await this.#deps.agentThreads.threads.prompt(name, said)).turnId;
  }

  /* False: it had ended, or was cancelled before. */
  cancel(turnId: string): Promise<boolean> {
    const { agents } = this.#deps.agentThreads.threads;
    return agents.cancelTurn(this.#caller.accountId, turnId, this.#by);
  }

  /* Of its turns that wait, in their order. */
  queue(limit: number): Promise<QueueView> {
    return this.#deps.agentThreads.threads.queue.ofAccount(this.#caller.accountId, { limit });
  }

  async standing(turn: TurnOfThread): Promise<TurnStanding> {
    const { queue } = this.#deps.agentThreads.threads;
    const isWaiting = turn.status === 'queued';
    const { agent } = await this.thread(turn.threadId);
    return {
      sync: await this.syncOf(turn.id),
      place: isWaiting ? await queue.ofTurn(this.#caller.accountId, turn.id) : undefined,
      poll: queue.poll(turn, agent),
    };
  }

  /* The same of all turns of a thread. */
  async standings(
    { id, agent }: ThreadRow,
    turns: readonly TurnRow[],
  ): Promise<(turn: TurnRow) => TurnStanding> {
    const { queue } = this.#deps.agentThreads.threads;
    const syncs = await this.syncsOf(id);
    const places = await queue.ofTurns(this.#caller.accountId, turns);
    return (turn) => ({
      sync: syncs.get(turn.id),
      place: places.get(turn.id),
      poll: queue.poll(turn, agent),
    });
  }

  /* Null: to the end. */
  move(turnId: string, before: string | null): Promise<void> {
    const { queue } = this.#deps.agentThreads.threads;
    return queue.move(this.#caller.accountId, { turnId, before, by: this.#by });
  }

  edit(edit: TurnEdit): Promise<void> {
    const { queue } = this.#deps.agentThreads.threads;
    return queue.edit(this.#caller.accountId, { ...edit, by: this.#by });
  }

  async archive(threadId: string): Promise<ThreadRow> {
    const { id } = await this.thread(threadId);
    const { accountId } = this.#caller;
    const audit = { action: 'thread.archive', ...this.#by } as const;
    const outcome = await this.records.archive(id, audit);
    if (outcome === 'busy') throw new ApiError('still_running', 'a turn runs or waits in it');
    if (outcome === 'not_found') throw notFound();
    const actor = actorOf(this.#caller);
    const { agents } = this.#deps.agentThreads.threads;
    await agents.closeSession({ accountId, id }, { reason: 'archived', actor });
    return this.thread(id);
  }

  async unarchive(threadId: string): Promise<ThreadRow> {
    const audit = { action: 'thread.unarchive', ...this.#by } as const;
    if ((await this.records.unarchive(threadId, audit)) === 'not_found') throw notFound();
    return this.thread(threadId);
  }

  async editThread(threadId: string, edit: ThreadEdit): Promise<ThreadRow> {
    const audit = { action: 'thread.edit', ...this.#by } as const;
    if ((await this.records.edit(threadId, edit, audit)) === 'not_found') throw notFound();
    return this.thread(threadId);
  }

  async choose(threadId: string, chosen: Choosing['chosen']): Promise<void> {
    checkMayChoose(this.#caller, chosen);
    const { id } = await this.thread(threadId);
    const name = { accountId: this.#caller.accountId, id };
    await this.#deps.agentThreads.threads.choose(name, { chosen, by: this.#by });
  }

  /* Of the session that it has; else the last of its agent on its host. */
  async choices(threadId: string): Promise<Partial<Offered>> {
    const { agent, connectionId } = await this.thread(threadId);
    const rows = await this.records.load(threadId);
    const choices = rows?.run?.choices;
    return choices === undefined
      ? ((await this.records.offered(agent, connectionId)) ?? {})
      : { choices };
  }

  async choicesOf(agent: string, connectionId: string | undefined): Promise<Partial<Offered>> {
    const { connections } = this.#deps.store.forAccount(this.#caller.accountId);
    if (connectionId !== undefined && (await connections.get(connectionId)) === undefined) {
      throw notFound();
    }
    const offered = await this.records.offered(agent, connectionId);
    if (offered !== undefined) return offered;
    // Only now: what is not in the settings any more may still have said something.
    const names = this.#deps.agentThreads.catalogue.list().map(({ name }) => name);
    if (!names.includes(agent)) throw noAgentCalled(agent, names);
    return {};
  }

  /* `digest`: of what was shown; absent: whatever it is. */
  async answer(askId: string, answer: AskAnswer, digest?: string): Promise<void> {
    await checkMayAnswer(this.records, this.#caller, askId);
    // What is asked never changes, so this holds when it is answered.
    const ask = digest === undefined ? undefined : await this.records.ask(askId);
    if (ask !== undefined) checkDigest(digest, digestOf(ask));
    const { threads } = this.#deps.agentThreads;
    await threads.answer(this.#caller.accountId, askId, { answer, by: this.#by });
  }

  /* Below the request that brings it. */
  #traceForTurn(): string {
    const { observe, random } = this.#deps;
    const spanId = observe.tracing.currentSpanId();
    return newTurnTrace(observe.currentTrace() ?? newTrace(random), { random, spanId });
  }
}

function isNone(chosen: Chosen): boolean {
  return Object.keys(chosen).length === 0;
}

/*
 * The thread that a key has made before, if the request with it asks for that one. What is left out is the usual, which may be another one by
 * now, and a title is no reason to begin twice.
 */
export function sameThread(
  thread: ThreadRow,
  { agent, connectionId, directory }: NewConversation,
): ThreadRow {
  const isSame =
    (agent ?? thread.agent) === thread.agent &&
    connectionId === (thread.connectionId ?? null) &&
    (directory ?? thread.cwd) === thread.cwd;
  if (isSame) return thread;
  throw new ApiError('key_reused', 'with this key another conversation was begun', {
    hint: 'Take a new key for another agent, host or directory.',
  });
}
