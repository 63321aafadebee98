/*
 * Whether the same attempt may go better later.
 */
import { CodedError } from '@clawdfather/kit';
import { RefusedError } from './errors.ts';

/* What the gateway refuses for good is the reader's to know; a gateway that restarts or a network that is gone is not. */
export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof RefusedError) {
    const { status } = error.refusal;
    return status >= 500 || status === 429;
  }
  return !(error instanceof CodedError) || error.code === 'gateway-unreachable';
}
