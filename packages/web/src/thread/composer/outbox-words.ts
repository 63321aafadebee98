/*
 * How a message stands that was written here, in words.
 */
import type { Deferral, OutboxState } from '@clawdfather/sdk';
import { sentenceOf } from '../../data/problem.ts';

export interface OutboxWords {
  readonly text: string;
  readonly mayWithdraw: boolean;
  readonly mayRepeat: boolean;
  readonly isBad: boolean;
}

/* Undefined: nothing was said against it. */
export function deferralOf(state: OutboxState): Deferral | undefined {
  return 'deferred' in state ? state.deferred : undefined;
}

/* No attempt that has ended can have arrived. */
function isHereOnly(state: OutboxState): boolean {
  return state.kind === 'written' || (state.kind === 'sent' && state.isDoubted !== true);
}

/* Its own reason; what is said after it is the same for all. */
export function deferredWords({ message }: Deferral): string {
  return `${sentenceOf(message)} It is kept on this device and sent when the gateway takes it.`;
}

export function outboxWords(state: OutboxState): OutboxWords {
  const usual = { mayWithdraw: false, mayRepeat: false, isBad: false };
  const deferral = deferralOf(state);
  if (deferral !== undefined) {
    // While it is tried again nothing changes, or it would flicker: taking it back waits for the answer.
    return { ...usual, text: deferredWords(deferral), mayWithdraw: isHereOnly(state) };
  }
  switch (state.kind) {
    case 'written':
      return {
        ...usual,
        text: 'On this device; it is sent when the gateway answers',
        mayWithdraw: true,
      };
    case 'sent':
      return { ...usual, text: 'Sending …' };
    case 'unknown':
      return {
        ...usual,
        text: 'The gateway has not answered. It is kept here and sent again until it does; nothing is said twice',
      };
    case 'accepted':
      return { ...usual, text: 'The gateway has it' };
    case 'taken':
      return { ...usual, text: 'The agent has it' };
    case 'refused':
      return {
        text: `Not taken: ${state.message}`,
        mayWithdraw: true,
        mayRepeat: true,
        isBad: true,
      };
    case 'expired':
      return {
        text: 'Too old to be sent unasked',
        mayWithdraw: true,
        mayRepeat: true,
        isBad: true,
      };
  }
}
