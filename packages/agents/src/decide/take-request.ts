/*
 * What an agent asks of us: permissions and questions wait for a person, everything else is answered at once.
 * It is known by where it stands in the journal; its wire id is only echoed, because agents number from 0 per process, and repeat (W6).
 */
import { createHash } from 'node:crypto';
import type { Cursor, RunId } from '@clawdfather/supervisor';
import type { AskClass, AskRow } from '../rows.ts';
import { formatError, type Json, methodNotFound, type RpcMessage } from '../wire/json-rpc.ts';
import type { Consuming } from './consuming.ts';
import type { Draft } from './draft.ts';

const askClasses: Readonly<Record<string, AskClass>> = {
  'session/request_permission': 'permission',
  'elicitation/create': 'question',
};

export function takeRequest(
  { draft, cursor, atMs }: Consuming,
  { id, method, params }: Extract<RpcMessage, { kind: 'request' }>,
): void {
  const askClass = askClasses[method];
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
    state: 'open',
    askedAtMs: atMs,
  };
  draft.asks.set(ask.id, ask);
  draft.event(eventTypeOf(ask), { ask: ask.id, state: 'open', params }, { atMs });
}

/* Looks like any other id of ours. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';

export function askIdOf(runId: RunId, cursor: Cursor): string {
  const hash = createHash('sha256').update(`${runId}\0${cursor}`).digest();
  return [...hash.subarray(0, 16)].map((byte) => letters[byte % letters.length]).join('');
}

export function eventTypeOf(ask: Pick<AskRow, 'class'>): 'approval' | 'question' {
  return ask.class === 'permission' ? 'approval' : 'question';
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
    if (ask.state !== 'open' || !isMeant(ask)) continue;
    draft.asks.set(ask.id, { ...ask, state });
    draft.event(eventTypeOf(ask), { ask: ask.id, state }, { turnId: ask.turnId, atMs });
  }
}
