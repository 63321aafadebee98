/*
 * What one agent can do with the sessions of others: list, read, send, look, spawn. Every action asks the same rule (VI1 to VI3), about
 * rows of the agent's own account; what it does not see is missing, as what does not exist.
 *
 * SA1 Who asks is known from the key of its run, never from what is asked.
 * SA2 Sending and spawning are once per key: the turn's message id and the thread's id are made from it. A crash in between leaves
 *     nothing to be undone, and the same request again goes on where it was.
 * SA3 A child works in the directory of its parent or below it, by real paths, and where its parent does: a working tree is what a shield
 *     lets an agent write to.
 * SA4 A sandbox is also around all that is below it: a child of another agent sees no more than its parent.
 */
import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import {
  canSeeSessionRow,
  clampVisibility,
  cutMiddle,
  formatMessage,
  formatTask,
  type KeyHolder,
  ownerOf,
  type SaidText,
  saidTexts,
  type ThreadRecords,
  type ThreadRow,
  type TurnRow,
  type Visibility,
} from '@clawdfather/agents';
import type { Random } from '@clawdfather/kit';
import type { Store } from '@clawdfather/store';
import { makeVisible } from '@clawdfather/tools/text';
import type { AgentSessionsConfig, GatewayConfig } from '../gateway-config.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { runIdOfKey } from '../runs/run-id-of-key.ts';
import type { Instance } from '../sessions/instance.ts';
import { messageHashOf } from './message-hash.ts';
import type { AgentThreads } from './open-threads.ts';

export interface SessionsOfAgentDeps {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly agentThreads: AgentThreads;
  readonly instance: Pick<Instance, 'owner'>;
  readonly random: Random;
}

export const usualAgentSessions: AgentSessionsConfig = {
  visibility: 'tree',
  a2a: { isEnabled: false, allow: [] },
  depthMax: 3,
  activeMax: 8,
};

/* Rows that one list looks through: an agent that sees few of very many turns the page. */
const rowsSearched = 1_000;
const rowsPerPage = 100;
/* Events that one page of a history looks through, and what it shows of each text and of all. */
const eventsSearched = 2_000;
const eventsPerPage = 500;
const textCharactersMax = 8_000;
const pageCharactersMax = 60_000;

export interface Spawn {
  readonly agent?: string | undefined;
  readonly directory?: string | undefined;
  readonly task: string;
  readonly title?: string | undefined;
  readonly wake: boolean;
}

export interface Said {
  readonly text: string;
  readonly wake: boolean;
}

/* What every action knows of the request that brings it. */
export interface AgentRequest {
  readonly key: string | undefined;
  readonly ip: string;
  readonly traceId: string;
  readonly trace: string;
}

export type TurnOfThread = TurnRow & { readonly threadId: string };

/* There is one per request. Its members throw an `ApiError`, or what the threads throw. */
export class SessionsOfAgent {
  readonly #deps: SessionsOfAgentDeps;
  readonly #agent: KeyHolder;
  readonly #records: ThreadRecords;
  readonly #settings: AgentSessionsConfig;
  readonly #isSandboxed: ReadonlySet<string>;

  constructor(deps: SessionsOfAgentDeps, agent: KeyHolder) {
    const { agents } = deps.config;
    this.#deps = deps;
    this.#agent = agent;
    this.#records = deps.store.forAccount(agent.accountId).threads;
    this.#settings = agents?.sessions ?? usualAgentSessions;
    const sandboxed = agents?.named.filter(({ sandboxed: isSo }) => isSo === true) ?? [];
    this.#isSandboxed = new Set(sandboxed.map(({ name }) => name));
  }

  async list({ limit, offset }: { readonly limit: number; readonly offset: number }) {
    const sees = await this.#rule();
    const items: ThreadRow[] = [];
    let at = offset;
    while (at < offset + rowsSearched) {
      const page = await this.#records.list({ limit: rowsPerPage, offset: at });
      for (const row of page.items) {
        at += 1;
        if (!sees(row)) continue;
        items.push(row);
        if (items.length === limit) return { items, nextOffset: at < page.total ? at : undefined };
      }
      if (at >= page.total || page.items.length === 0) return { items, nextOffset: undefined };
    }
    return { items, nextOffset: at };
  }

  async status(sessionKey: string) {
    const { id } = await this.#visible(sessionKey);
    const rows = await this.#records.load(id);
    if (rows === undefined) throw notFound();
    const openAsks = [...rows.asks.values()].filter(
      ({ state, class: kind }) => state === 'open' && kind !== 'effect',
    ).length;
    const queuedTurns = rows.queue.length;
    const waitsFor =
      openAsks > 0 ? 'person' : rows.turn === undefined && queuedTurns > 0 ? 'queue' : undefined;
    return { thread: rows.thread, openAsks, queuedTurns, waitsFor } as const;
  }

  async history(
    sessionKey: string,
    { before, limit }: { readonly before?: number | undefined; readonly limit: number },
  ) {
    const { id, lastSeq } = await this.#visible(sessionKey);
    const end = Math.min(before ?? lastSeq + 1, lastSeq + 1);
    const { texts, firstSeq } = await this.#textsBefore(id, end, limit);
    const items: (SaidText & { readonly isCut: boolean })[] = [];
    let room = pageCharactersMax;
    for (const said of texts.toReversed()) {
      if (items.length === limit || room <= 0) break;
      const cut = cutMiddle(said.text, Math.min(textCharactersMax, room));
      room -= cut.text.length;
      items.unshift({ ...said, ...cut });
    }
    const shownFrom = items.length === texts.length ? firstSeq : items[0]?.seq;
    return { items, nextBefore: shownFrom !== undefined && shownFrom > 1 ? shownFrom : undefined };
  }

  /* SA2 */
  async send(sessionKey: string, { text, wake }: Said, request: AgentRequest) {
    const own = await this.#own();
    const target = await this.#visible(sessionKey);
    const said = formatMessage(speakerOf(own), text, makeVisible);
    // Its own end would wake it for ever.
    const wakes = wake && target.id !== own.id;
    return this.#prompt(target.id, { text: said, wakes }, request);
  }

  /* SA2, SA3 */
  async spawn(asked: Spawn, request: AgentRequest) {
    const { agentThreads, random, store } = this.#deps;
    const own = await this.#own();
    const agent = asked.agent ?? own.agent;
    agentThreads.catalogue.resolve(agent);
    const { key = random.id() } = request;
    const { depthMax, activeMax } = this.#settings;
    const { accountId, threadId } = this.#agent;
    const child = {
      id: runIdOfKey(`${accountId}/${threadId}`, key),
      parentId: own.id,
      agent,
      cwd: await directoryIn(own.cwd, asked.directory),
      title: asked.title ?? titleOf(asked.task),
      instanceId: this.#deps.instance.owner().instanceId,
      ...(own.viaConnectionId === undefined
        ? {}
        : { viaConnectionId: own.viaConnectionId, sessionId: own.sessionId }),
      depthMax,
      activeMax,
    };
    const by = this.#by(request);
    const detail = { agent, directory: child.cwd, parent: own.id };
    const audit = { action: 'thread.create', ...by, detail } as const;
    const spawned = await store.forAccount(accountId).agentSessions.spawn(child, audit);
    if (!('thread' in spawned)) throw this.#refusalOf(spawned.outcome);
    const text = formatTask(speakerOf(own), asked.task, makeVisible);
    const turn = await this.#prompt(
      spawned.thread.id,
      { text, wakes: asked.wake },
      { ...request, key },
    );
    return { thread: await this.#visible(spawned.thread.id), turn };
  }

  /* Of a message that this session has sent, and to nobody else. */
  async receipt(turnId: string): Promise<TurnOfThread> {
    const turn = await this.#records.turn(turnId);
    if (turn?.requester !== this.#by().actor) throw notFound();
    await this.#visible(turn.threadId);
    return turn;
  }

  async #prompt(
    id: string,
    { text, wakes }: { readonly text: string; readonly wakes: boolean },
    request: AgentRequest,
  ): Promise<TurnOfThread> {
    const { threadId, accountId } = this.#agent;
    const { threads } = this.#deps.agentThreads;
    const said = { blocks: [{ type: 'text', text }], loadClass: 'long_task' } as const;
    const clientMessageId =
      request.key === undefined ? undefined : `agent:${runIdOfKey(threadId, request.key)}`;
    const { turnId } = await threads.prompt(
      { accountId, id },
      {
        ...said,
        by: this.#by(request),
        clientMessageId,
        messageHash: messageHashOf(said),
        trace: request.trace,
        ...(wakes ? { wakeId: threadId } : {}),
      },
    );
    const turn = await this.#records.turn(turnId);
    if (turn === undefined) throw notFound();
    return turn;
  }

  #by(request?: AgentRequest) {
    const actor = `thread:${this.#agent.threadId}`;
    return request === undefined ? { actor } : { actor, ip: request.ip, traceId: request.traceId };
  }

  async #own(): Promise<ThreadRow> {
    const own = await this.#records.get(this.#agent.threadId);
    if (own === undefined) throw notFound();
    if (own.status === 'archived') throw new ApiError('thread_archived');
    return own;
  }

  async #visible(sessionKey: string): Promise<ThreadRow> {
    const sees = await this.#rule();
    const row = await this.#records.get(sessionKey);
    if (row === undefined || !sees(row)) throw notFound();
    return row;
  }

  /* The one rule, for this agent as it is now. */
  async #rule(): Promise<(row: ThreadRow) => boolean> {
    const own = await this.#own();
    const { a2a: a2aPolicy } = this.#settings;
    const visibility = await this.#visibility(own);
    const asked = { requesterSessionKey: own.id, requesterAgentId: own.agent };
    return (row) => canSeeSessionRow({ row: ownerOf(row), ...asked, visibility, a2aPolicy });
  }

  /* SA4 */
  async #visibility({ agent, ancestors }: ThreadRow): Promise<Visibility> {
    const { visibility } = this.#settings;
    if (this.#isSandboxed.size === 0) return visibility;
    const above = await Promise.all(ancestors.map((id) => this.#records.get(id)));
    const agents = [agent, ...above.map((row) => row?.agent ?? '')];
    return clampVisibility(
      visibility,
      agents.some((name) => this.#isSandboxed.has(name)),
    );
  }

  /* Enough for a page, unless very much else happened in between. */
  async #textsBefore(id: string, end: number, limit: number) {
    let events: Awaited<ReturnType<ThreadRecords['events']>> = [];
    let start = end - 1;
    let texts: readonly SaidText[] = [];
    while (start > 0 && events.length < eventsSearched && texts.length <= limit) {
      const from = Math.max(0, start - eventsPerPage);
      const page = await this.#records.events(id, { after: from, limit: start - from });
      events = [...page, ...events];
      start = from;
      texts = saidTexts(events);
    }
    return { texts, firstSeq: start + 1 };
  }

  #refusalOf(outcome: 'id-taken' | 'parent-gone' | 'too-deep' | 'too-many'): ApiError {
    const { depthMax, activeMax } = this.#settings;
    switch (outcome) {
      case 'id-taken':
        return new ApiError('key_reused');
      case 'parent-gone':
        return notFound();
      case 'too-deep':
        return new ApiError('forbidden', `sessions are spawned ${depthMax} deep at most`, {
          hint: 'A person sets it: agents.spawnDepthMax. Do it yourself, or ask the one above you.',
        });
      case 'too-many':
        return new ApiError(
          'session_limit_reached',
          `${activeMax} sessions that agents have spawned here are at work, and no more may be`,
          {
            hint: 'Wait until one is done; its agent is let go when it has been idle for a while. A person sets it: agents.spawnedMax.',
          },
        );
    }
  }
}

/* The beginning of the task, in one line. */
const titleCharactersMax = 64;

function titleOf(task: string): string {
  const line = task.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length <= titleCharactersMax
    ? line
    : `${line.slice(0, titleCharactersMax - 1)}…`.toWellFormed();
}

function speakerOf({ id, agent, title }: ThreadRow) {
  return { sessionKey: id, agentId: agent, title };
}

/* SA3 */
async function directoryIn(parent: string, asked: string | undefined): Promise<string> {
  if (asked === undefined) return parent;
  const refusal = (why: string): ApiError =>
    new ApiError('validation_error', `directory: ${why}`, { detail: { field: 'directory' } });
  const root = await realpath(parent).catch(() => parent);
  const real = await realpath(resolve(root, asked)).catch(() => {
    throw refusal('there is none');
  });
  const way = relative(root, real);
  if (way === '..' || way.startsWith('../')) {
    throw refusal('a session that is spawned works in the directory of its parent or below it');
  }
  return real;
}
