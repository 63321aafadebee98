/*
 * What failed, in words for a person. The API's own words where it has said any.
 */
import { CodedError, hasCode } from '@clawdfather/kit';
import { RefusedError } from '@clawdfather/sdk';

export interface Problem {
  readonly text: string;
  readonly hint: string | undefined;
  /* What an operator finds it by. */
  readonly traceId: string | undefined;
  readonly kind: 'refused' | 'unreachable' | 'signed-out' | 'broken';
}

export function problemOf(error: unknown): Problem {
  if (error instanceof RefusedError) {
    const { refusal, message, hint } = error;
    const kind = refusal.status === 401 ? 'signed-out' : 'refused';
    return { text: sentenceOf(message), hint, traceId: refusal.traceId, kind };
  }
  if (hasCode(error, 'gateway-unreachable')) {
    return {
      text: 'The gateway does not answer.',
      hint: undefined,
      traceId: undefined,
      kind: 'unreachable',
    };
  }
  const hint = error instanceof CodedError ? error.hint : undefined;
  const text = error instanceof Error ? sentenceOf(error.message) : 'Something went wrong.';
  return { text, hint, traceId: undefined, kind: 'broken' };
}

function sentenceOf(message: string): string {
  const begun = message.slice(0, 1).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
