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

type Request = Extract<RpcMessage, { kind: 'request' }>;

export function takeRequest({ draft, cursor, atMs }: Consuming, request: Request): void {
  const { id, method, params } = request;
  const ask = askOf(request, { runId: draft.runId, cursor, atMs, turnId: draft.turn?.id });
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
    return;
  }
  draft.asks.set(ask.id, ask);
  draft.event(eventTypeOf(ask), { ask: ask.id, state: 'open', params }, { atMs });
}

export interface AskPlace {
  readonly runId: RunId;
  readonly cursor: Cursor;
  readonly atMs: number;
  readonly turnId: string | undefined;
}

/* Undefined: nothing that a person answers. */
export function askOf(
  { id: wireId, method, params }: Request,
  { runId, cursor, atMs, turnId }: AskPlace,
): AskRow | undefined {
  const askClass = askClasses[method];
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
    state: 'open',
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
  return ask.class === 'permission' ? 'approval' : 'question';
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
    if (ask.state !== 'open' || !isMeant(ask)) continue;
    draft.asks.set(ask.id, { ...ask, state });
    draft.event(eventTypeOf(ask), { ask: ask.id, state }, { turnId: ask.turnId, atMs });
  }
}
