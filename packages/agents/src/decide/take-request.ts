/*
 * What an agent asks of us: permissions and questions wait for a person, files and terminals of its host are seen to (effects.ts),
 * everything else is answered at once.
 * It is known by where it stands in the journal; its wire id is only echoed, because agents number from 0 per process, and repeat (W6).
 */
import { createHash } from 'node:crypto';
import type { Cursor, RunId } from '@clawdfather/supervisor';
import type { AskClass, AskRow } from '../rows.ts';
import {
  formatError,
  invalidParams,
  type Json,
  methodNotFound,
  type RpcMessage,
} from '../wire/json-rpc.ts';
import { answerText } from './answer-text.ts';
import { isEffect, refusalOfEffect } from './effect-request.ts';
import type { Consuming } from './consuming.ts';
import type { Draft } from './draft.ts';

/* A map, because a method may be called `constructor`, which every object has. */
const askClasses: ReadonlyMap<string, AskClass> = new Map([
  ['session/request_permission', 'permission'],
  ['elicitation/create', 'question'],
]);

type Request = Extract<RpcMessage, { kind: 'request' }>;

export function takeRequest({ draft, setup, cursor, atMs }: Consuming, request: Request): void {
  const { id, method, params } = request;
  const isServed = setup.servesHost === true && isEffect(method);
  const refusal = isServed ? refusalOfEffect(method, params) : undefined;
  if (refusal !== undefined) {
    draft.frame(formatError(id, { code: invalidParams, message: refusal }));
    return;
  }
  const place = { runId: draft.runId, cursor, atMs, turnId: draft.turn?.id };
  const ask = askOf(request, { ...place, isServed });
  if (ask === undefined) {
    const message = `Clawdfather does not know the method ${method}`;
    draft.frame(formatError(id, { code: methodNotFound, message }));
    draft.event('noise', { method, raw: params }, { atMs });
    return;
  }
  const known = draft.asks.get(ask.id);
  if (known !== undefined) {
    // Noted ahead: it has its card and its event, and perhaps its answer.
    draft.asks.set(ask.id, { ...known, notedAheadAtMs: undefined });
    answerIfCancelled(draft, ask.id);
    return;
  }
  draft.asks.set(ask.id, ask);
  // What becomes of it is told when it is known: by a card, or when it is done.
  if (ask.class === 'effect') return;
  draft.event(eventTypeOf(ask), { ask: ask.id, state: 'open', params }, { atMs });
  answerIfCancelled(draft, ask.id);
}

/* X5: it had asked before it heard of the cancel. Without an answer it would wait, and be ended for ignoring the cancel (W13). */
function answerIfCancelled(draft: Draft, askId: string): void {
  const { turn } = draft;
  const ask = draft.asks.get(askId);
  if (turn?.cancelAskedAtMs === undefined || ask?.turnId !== turn.id) return;
  if (ask.state === 'open') answerCancelled(draft, ask, turn.cancelActor ?? 'gateway');
}

/* X5. */
export function answerCancelled(draft: Draft, ask: AskRow, actor: string): void {
  const answer = { kind: 'cancel' } as const;
  draft.frame(answerText(ask, answer));
  const decision = { answer, actor, atMs: draft.atMs };
  draft.asks.set(ask.id, { ...ask, state: 'answered', decision });
  draft.event(eventTypeOf(ask), {
    ask: ask.id,
    state: 'answered',
    answer: 'cancel',
    answerKind: 'cancel',
    actor,
  });
}

export interface AskPlace {
  readonly runId: RunId;
  readonly cursor: Cursor;
  readonly atMs: number;
  readonly turnId: string | undefined;
  /* It asks for something that we see to on its host. */
  readonly isServed?: boolean;
}

/* Undefined: nothing that a person answers, or that we see to. */
export function askOf(
  { id: wireId, method, params }: Request,
  { runId, cursor, atMs, turnId, isServed = false }: AskPlace,
): AskRow | undefined {
  const askClass = isServed ? 'effect' : askClasses.get(method);
  if (askClass === undefined) return undefined;
  return {
    id: askIdOf(runId, cursor),
    runId,
    cursor,
    wireId,
    method,
    class: askClass,
    turnId,
    params,
    state: askClass === 'effect' ? 'acting' : 'open',
    askedAtMs: atMs,
  };
}

/* Looks like any other id of ours. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';

export function askIdOf(runId: RunId, cursor: Cursor): string {
  const hash = createHash('sha256').update(`${runId}\0${cursor}`).digest();
  return [...hash.subarray(0, 16)].map((byte) => letters[byte % letters.length]).join('');
}

export function eventTypeOf(ask: Pick<AskRow, 'class'>): 'approval' | 'question' {
  return ask.class === 'question' ? 'question' : 'approval';
}

export function withdrawAsk({ draft, atMs }: Consuming, wireId: Json | undefined): void {
  // One that is noted ahead is further on in the journal: it has the same wire id, and is another.
  const isMeant = (ask: AskRow): boolean =>
    ask.wireId === wireId && ask.runId === draft.runId && ask.notedAheadAtMs === undefined;
  closeAsks(draft, isMeant, { state: 'withdrawn', atMs });
}

/* Nobody can answer these any more. */
export function closeAsks(
  draft: Draft,
  isMeant: (ask: AskRow) => boolean,
  { state, atMs }: { readonly state: 'withdrawn' | 'void'; readonly atMs: number },
): void {
  for (const ask of draft.asks.values()) {
    const { state: before } = ask;
    if ((before !== 'open' && before !== 'acting') || !isMeant(ask)) continue;
    draft.asks.set(ask.id, { ...ask, state });
    // It was never shown.
    if (before === 'acting') continue;
    draft.event(eventTypeOf(ask), { ask: ask.id, state }, { turnId: ask.turnId, atMs });
  }
}
