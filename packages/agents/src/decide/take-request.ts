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
import { isEffect, refusalOfEffect } from './effect-request.ts';
import type { Consuming } from './consuming.ts';
import type { Draft } from './draft.ts';

const askClasses: Readonly<Record<string, AskClass>> = {
  'session/request_permission': 'permission',
  'elicitation/create': 'question',
};

export function takeRequest(
  { draft, setup, cursor, atMs }: Consuming,
  { id, method, params }: Extract<RpcMessage, { kind: 'request' }>,
): void {
  const isServed = setup.servesHost === true && isEffect(method);
  const askClass = isServed ? 'effect' : askClasses[method];
  const refusal = isServed ? refusalOfEffect(method, params) : undefined;
  if (refusal !== undefined) {
    draft.frame(formatError(id, { code: invalidParams, message: refusal }));
    return;
  }
  if (askClass === undefined) {
    const message = `Clawdfather does not know the method ${method}`;
    draft.frame(formatError(id, { code: methodNotFound, message }));
    draft.event('noise', { method, raw: params }, { atMs });
    return;
  }
  const { runId } = draft;
  const ask: AskRow = {
    id: askIdOf(runId, cursor),
    runId,
    cursor,
    wireId: id,
    method,
    class: askClass,
    turnId: draft.turn?.id,
    params,
    state: askClass === 'effect' ? 'acting' : 'open',
    askedAtMs: atMs,
  };
  draft.asks.set(ask.id, ask);
  // What becomes of it is told when it is known: by a card, or when it is done.
  if (askClass === 'effect') return;
  draft.event(eventTypeOf(ask), { ask: ask.id, state: 'open', params }, { atMs });
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
  const isMeant = (ask: AskRow): boolean => ask.wireId === wireId && ask.runId === draft.runId;
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
