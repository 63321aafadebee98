/*
 * The events of an agent's run, made once more from its journal by the functions that made them the first time. Only what the agent itself
 * has said is made: what became of turns is the gateway's, and is not in the journal.
 *
 * What a load has replayed was dropped then (W11), and is dropped again. The journal has no calls of ours, so the load is known by its
 * number of updates: those between two answers, during the handshake.
 */
import type { AgentRunRow, EventRow, ThreadRow } from '../rows.ts';
import { isObject, type RpcMessage } from '../wire/json-rpc.ts';
import type { WireItem, WireStep } from '../wire/wire-reader.ts';
import type { Consuming } from './consuming.ts';
import { Draft } from './draft.ts';
import { noText } from './message-text.ts';
import { takeRequest } from './take-request.ts';
import { Texts, takeText, takeUpdate, closeMessage } from './take-update.ts';

export interface ReplayFacts {
  readonly thread: ThreadRow;
  readonly run: AgentRunRow;
  /* Our calls that carried prompts: the answer to one ends a text. */
  readonly promptCalls: ReadonlySet<number>;
  /* Which stretch between two answers was the replay of a load, from 0; undefined: none. */
  readonly loadStretch: number | undefined;
}

export interface Replay {
  /* The events of one step, numbered from 1 on. */
  take(step: WireStep): readonly EventRow[];
}

export function createReplay({ thread, run, promptCalls, loadStretch }: ReplayFacts): Replay {
  const texts = new Texts(noText());
  const waiting = new Set(promptCalls);
  const none = { turn: undefined, queue: [], calls: new Map(), asks: new Map(), syncs: new Map() };
  let rows = {
    ...none,
    thread: { ...thread, lastSeq: 0 },
    run: { ...run, openMessage: undefined } as AgentRunRow,
  };
  let answers = 0;
  const takeMessage = (consuming: Consuming, message: RpcMessage): void => {
    if (message.kind === 'request') takeRequest(consuming, message);
    else if (message.kind === 'notification') {
      const { method, params } = message;
      if (method !== 'session/update' || answers === loadStretch) return;
      takeUpdate(consuming, isObject(params['update']) ? params['update'] : params);
    } else {
      answers += 1;
      if (typeof message.id === 'number' && waiting.delete(message.id)) closeMessage(consuming);
    }
  };
  return {
    take: ({ cursor, atMs, items }) => {
      const draft = new Draft(rows, atMs);
      const consuming = { draft, setup: noSetup, texts, cursor, atMs };
      for (const item of items) {
        if (item.kind === 'message') takeMessage(consuming, item.message);
        else if (item.kind === 'text') takeText(consuming, item.text);
      }
      const { events } = draft.done();
      rows = { ...rows, thread: draft.thread, run: draft.changeRun({}) };
      return events;
    },
  };
}

const noSetup = { clientVersion: '', mcpServers: [] };

/* The handshake has no more calls than these: initialize, authenticate, resume, load, new. */
const handshakeAnswersMax = 5;

/* Finds the stretch of a load. Needs the steps of the handshake only. */
export class LoadFinder {
  readonly #replayedCount: number;
  #stretch = 0;
  #updates = 0;
  #found: number | undefined;

  constructor({ replayedCount }: Pick<AgentRunRow, 'replayedCount'>) {
    this.#replayedCount = replayedCount;
  }

  /* Nothing more has to be taken. */
  get isDone(): boolean {
    const isFound = this.#replayedCount === 0 || this.#found !== undefined;
    return isFound || this.#stretch > handshakeAnswersMax;
  }

  take({ items }: Pick<WireStep, 'items'>): void {
    for (const item of items) this.#takeItem(item);
  }

  /* After the last step. */
  found(): number | undefined {
    this.#endStretch();
    return this.#found;
  }

  #takeItem(item: WireItem): void {
    if (item.kind !== 'message') return;
    const { message } = item;
    if (message.kind === 'result' || message.kind === 'error') this.#endStretch();
    else if (message.kind === 'notification' && message.method === 'session/update') {
      this.#updates += 1;
    }
  }

  #endStretch(): void {
    const isIt = this.#replayedCount > 0 && this.#updates === this.#replayedCount;
    if (isIt && this.#stretch <= handshakeAnswersMax) this.#found ??= this.#stretch;
    this.#stretch += 1;
    this.#updates = 0;
  }
}
