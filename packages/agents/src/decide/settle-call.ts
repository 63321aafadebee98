/*
 * An agent's answer to what we have asked of it: a step of the handshake, a value that was set, or the end of a turn.
 */
import type { AskRow } from '../rows.ts';
import { isObject, type RpcMessage } from '../wire/json-rpc.ts';
import { choiceAnswered, isChoosing, lateChoiceAnswered } from './choosing.ts';
import { isGoodbye } from './closing.ts';
import type { Consuming } from './consuming.ts';
import { handshakeAnswered, handshakeRefused } from './handshake.ts';
import { closeAsks } from './take-request.ts';
import { closeMessage } from './take-update.ts';

type Answer = Extract<RpcMessage, { kind: 'result' | 'error' }>;

export function settleCall(consuming: Consuming, answer: Answer): void {
  const { draft, setup, atMs } = consuming;
  const { id } = answer;
  const call = typeof id === 'number' ? draft.calls.get(id) : undefined;
  if (call === undefined || call.state !== 'sent') {
    if (lateChoiceAnswered(draft, answer, atMs)) return;
    draft.event('noise', { text: 'an answer to no question', raw: { id } }, { atMs });
    return;
  }
  draft.calls.set(call.id, { ...call, state: 'answered' });
  if (call.method === 'session/prompt') endPrompt(consuming, answer, call.turnId);
  else if (isGoodbye(call)) return;
  else if (isChoosing(call)) choiceAnswered(draft, { call, answer, atMs });
  else if (answer.kind === 'error') handshakeRefused(draft, setup, answer.error);
  else handshakeAnswered(draft, setup, answer.result);
}

function endPrompt(consuming: Consuming, answer: Answer, turnId: string | undefined): void {
  const { draft, atMs, isInTime } = consuming;
  closeMessage(consuming);
  // The turn has ended without its answer: the cancel was ignored for too long.
  if (draft.turn === undefined || draft.turn.id !== turnId) return;
  // What is being done on the host is answered all the same.
  const isOver = (ask: AskRow): boolean => ask.turnId === turnId && ask.state === 'open';
  closeAsks(draft, isOver, { state: 'void', atMs });
  const { deadlineAtMs = atMs } = draft.turn;
  if (atMs > deadlineAtMs && isInTime?.(draft.turn) !== true) {
    draft.turnEvent({ type: 'late' }, atMs);
    return;
  }
  if (answer.kind === 'error') {
    draft.turnEvent({ type: 'refused', message: answer.error.message }, atMs);
    return;
  }
  const { stopReason, usage } = isObject(answer.result) ? answer.result : {};
  if (isObject(usage)) {
    draft.changeTurn({ usage });
    draft.event('usage', usage, { atMs });
  }
  const reason = typeof stopReason === 'string' ? stopReason : 'end_turn';
  draft.turnEvent({ type: 'stopped', stopReason: reason }, atMs);
}
