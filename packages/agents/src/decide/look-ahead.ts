/*
 * What an agent asks in lines that are journalled and not consumed: found by reading on from the stored cursor, and noted without moving it.
 * Consuming stays the owner's, with all that it means (X3); here is only what tells whether the agent waits for an answer.
 *
 * An ask that is noted has the id that its line will give it (W6), its card and its event. When the line is consumed, the ask is found and
 * left as it is by then.
 */
import type { AskRow, ThreadChange, ThreadRows } from '../rows.ts';
import { isObject, type RpcMessage } from '../wire/json-rpc.ts';
import type { WireStep } from '../wire/wire-reader.ts';
import { Draft } from './draft.ts';
import { askOf, eventTypeOf } from './take-request.ts';

/* How things stand where the look has come to. */
export interface LookAhead {
  /* The turn that runs there; absent: none does. */
  readonly turnId: string | undefined;
  /* What the agent waits for there, by id, in the order of the journal. */
  readonly waiting: ReadonlyMap<string, AskRow>;
}

/* At the stored cursor. */
export function beginLook({ run, turn, asks }: ThreadRows): LookAhead {
  const consumed = [...asks].filter(
    ([, { state, runId, notedAheadAtMs }]) =>
      state === 'open' && runId === run?.runId && notedAheadAtMs === undefined,
  );
  return { turnId: turn?.id, waiting: new Map(consumed) };
}

/* One step further. */
export function lookOn(rows: ThreadRows, look: LookAhead, step: WireStep): LookAhead {
  let next = look;
  for (const item of step.items) {
    if (item.kind === 'message') next = lookAtMessage(rows, next, { ...step, ...item });
  }
  return next;
}

type Said = Pick<WireStep, 'cursor' | 'atMs'> & { readonly message: RpcMessage };

function lookAtMessage(rows: ThreadRows, look: LookAhead, said: Said): LookAhead {
  const { message } = said;
  switch (message.kind) {
    case 'request':
      return lookAtRequest(rows, look, { ...said, message });
    case 'notification': {
      if (message.method !== '$/cancel_request' || !isObject(message.params)) return look;
      const { requestId } = message.params;
      return without(look, ({ wireId }) => wireId === requestId);
    }
    case 'result':
    case 'error': {
      const call = typeof message.id === 'number' ? rows.calls.get(message.id) : undefined;
      const isEnd = call?.method === 'session/prompt' && call.turnId === look.turnId;
      if (!isEnd) return look;
      return {
        ...without(look, ({ turnId }) => turnId === look.turnId),
        turnId: undefined,
      };
    }
  }
}

function lookAtRequest(
  { run, asks }: ThreadRows,
  look: LookAhead,
  { message, cursor, atMs }: Said & { readonly message: { readonly kind: 'request' } },
): LookAhead {
  if (run === undefined) return look;
  const { turnId, waiting } = look;
  const met = askOf(message, { runId: run.runId, cursor, atMs, turnId });
  if (met === undefined) return look;
  const ask = asks.get(met.id) ?? met;
  // Noted by an earlier look, and answered since.
  if (ask.state !== 'open') return look;
  return { turnId, waiting: new Map([...waiting, [ask.id, ask]]) };
}

function without(look: LookAhead, isOver: (ask: AskRow) => boolean): LookAhead {
  const waiting = new Map([...look.waiting].filter(([, ask]) => !isOver(ask)));
  return { ...look, waiting };
}

/* Undefined: all that waits is known. */
export function noteAsks(
  rows: ThreadRows,
  { waiting }: LookAhead,
  atMs: number,
): ThreadChange | undefined {
  const found = [...waiting.values()].filter(({ id }) => !rows.asks.has(id));
  if (found.length === 0) return undefined;
  const draft = new Draft(rows, atMs);
  for (const ask of found) {
    const { id, params, turnId, askedAtMs } = ask;
    draft.asks.set(id, { ...ask, notedAheadAtMs: atMs });
    const facts = { turnId, atMs: askedAtMs };
    draft.event(eventTypeOf(ask), { ask: id, state: 'open', params }, facts);
  }
  return draft.done();
}
