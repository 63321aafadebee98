/*
 * What failed, in words for a person. The API's own words where it has said any.
 */
import { CodedError, hasCode } from '@clawdfather/kit';
import { RefusedError } from '@clawdfather/sdk';
import { heldBy, type HeldKind } from './limits.ts';

export interface Problem {
  readonly text: string;
  readonly hint: string | undefined;
  /* What an operator finds it by. */
  readonly traceId: string | undefined;
  readonly kind: 'refused' | 'unreachable' | 'signed-out' | 'broken';
  /* A limit is reached: what holds its places. */
  readonly held?: HeldKind | undefined;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof RefusedError) {
    const { refusal, message, hint, detail } = error;
    // Something between us and the gateway may answer 401, too: only the gateway's own words count.
    const kind = refusal.code === 'unauthorized' ? 'signed-out' : 'refused';
    // Of a command on a host the code of the limit is in the detail: it is why there is no way to the host.
    const held = heldBy(refusal.code) ?? heldBy(detail['code']);
    return { text: sentenceOf(message), hint, traceId: refusal.traceId, kind, held };
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

/* With its capital and its full stop. */
export function sentenceOf(message: string): string {
  const begun = message.slice(0, 1).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
