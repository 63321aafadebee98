/*
 * What an agent on an SSH host asks us to do there: files and terminals (W14). Each is an ask with a row, so a gateway that is killed at any
 * moment does none of it twice and leaves none unanswered.
 *
 *   acting ── the policy asks a person ──► open ── allowed ──► acting ── record ── effect ── answered
 *
 * A write is recorded with the hashes of what is there and of what will be, before it happens: after a crash the file itself says how far
 * it came (`judgeWrite`). A terminal is a run whose id is that of the ask, so it is started once.
 */
import type { AskRow, EffectRecord, ThreadChange, ThreadRows } from '../rows.ts';
import { formatError, formatResult, type Json, type RpcError } from '../wire/json-rpc.ts';
import { Draft } from './draft.ts';
import { isChange } from './effect-request.ts';

/* Of the owner: one with an older epoch decides nothing (O3). */
export interface EffectName {
  readonly askId: string;
  readonly epoch: number;
}

function actingOf(rows: ThreadRows, { askId, epoch }: EffectName): AskRow | undefined {
  const ask = rows.asks.get(askId);
  const { run } = rows;
  const isOurs = run?.runId === ask?.runId && run?.epoch === epoch;
  return isOurs && ask?.class === 'effect' && ask.state === 'acting' ? ask : undefined;
}

/* The policy wants a person to decide: from now on it is a card. Undefined: it was decided, or is done. */
export function askFirst(
  rows: ThreadRows,
  name: EffectName,
  atMs: number,
): ThreadChange | undefined {
  const ask = actingOf(rows, name);
  if (ask === undefined || ask.decision !== undefined || ask.effect !== undefined) return undefined;
  const draft = new Draft(rows, atMs);
  draft.asks.set(ask.id, { ...ask, state: 'open' });
  const { id, method, params, turnId } = ask;
  const shown = { ask: id, state: 'open', method, params: shownParams(params) };
  draft.event('approval', shown, { turnId });
  return draft.done();
}

/* Before it is done. Undefined: it is not ours to do. */
export function noteEffect(
  rows: ThreadRows,
  { effect, ...name }: EffectName & { readonly effect: EffectRecord },
  atMs: number,
): ThreadChange | undefined {
  const ask = actingOf(rows, name);
  if (ask === undefined || ask.effect !== undefined) return undefined;
  const draft = new Draft(rows, atMs);
  draft.asks.set(ask.id, { ...ask, effect });
  return draft.done();
}

export type EffectOutcome =
  | { readonly kind: 'done'; readonly result: Json }
  | { readonly kind: 'failed'; readonly error: RpcError };

/* It is done, or cannot be: the agent is told, once (X4). Undefined: it is answered, withdrawn, or not ours. */
export function finishEffect(
  rows: ThreadRows,
  { outcome, ...name }: EffectName & { readonly outcome: EffectOutcome },
  atMs: number,
): ThreadChange | undefined {
  const ask = actingOf(rows, name);
  if (ask === undefined || rows.run?.state !== 'open') return undefined;
  const draft = new Draft(rows, atMs);
  const { id, wireId, method, params, turnId } = ask;
  const isDone = outcome.kind === 'done';
  draft.frame(isDone ? formatResult(wireId, outcome.result) : formatError(wireId, outcome.error));
  draft.asks.set(id, { ...ask, state: 'answered' });
  if (isChange(method)) {
    const how = isDone ? { done: true } : { done: false, message: outcome.error.message };
    const facts = { event: 'on-host', ask: id, method, params: shownParams(params), ...how };
    draft.event('status', facts, { turnId });
  }
  return draft.done();
}

/*
 * What to do about a write that may have happened, by what is there now. `done`: it has. `write`: it has not. `uncertain`: the file is
 * neither what it was nor what it was to become, so it is another's, and is not touched.
 */
export function judgeWrite(
  { oldHash, newHash }: Extract<EffectRecord, { kind: 'write' }>,
  foundHash: string | undefined,
): 'done' | 'write' | 'uncertain' {
  if (foundHash === newHash) return 'done';
  return foundHash === oldHash ? 'write' : 'uncertain';
}

/* Events are read by people: what is written is in the ask. */
function shownParams({ content, ...params }: AskRow['params']): AskRow['params'] {
  return typeof content === 'string'
    ? { ...params, contentBytes: Buffer.byteLength(content) }
    : params;
}
