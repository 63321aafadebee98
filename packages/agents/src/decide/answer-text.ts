/*
 * Our answer to what an agent asks, as it goes over the wire. Its own id is echoed.
 */
import type { AskAnswer, AskRow } from '../rows.ts';
import { formatError, formatResult, type Json } from '../wire/json-rpc.ts';

export function answerText(ask: Pick<AskRow, 'class' | 'wireId'>, answer: AskAnswer): string {
  if (ask.class === 'effect') {
    const message = answer.kind === 'cancel' ? 'it was cancelled' : 'a person did not allow it';
    return formatError(ask.wireId, { code: refusedByPerson, message });
  }
  const result = ask.class === 'permission' ? permissionResult(answer) : questionResult(answer);
  return formatResult(ask.wireId, result);
}

/* Of the range that JSON-RPC leaves to applications. */
const refusedByPerson = -32003;

function permissionResult(answer: AskAnswer): Json {
  if (answer.kind !== 'option') return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: answer.optionId } };
}

function questionResult(answer: AskAnswer): Json {
  if (answer.kind === 'accept') return { action: 'accept', content: answer.content };
  return { action: answer.kind === 'decline' ? 'decline' : 'cancel' };
}
