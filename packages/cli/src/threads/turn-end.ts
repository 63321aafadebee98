/*
 * How a turn ended: the exit code of who waited for it, and the words for people.
 */
import { makeVisible } from '@clawdfather/tools/text';
import {
  exitChecksFailed,
  exitInterrupted,
  exitOk,
  exitOwnError,
  signalExitCode,
} from '../exit-status.ts';
import type { TurnEnd } from './thread-types.ts';

export function turnExitCode({ status }: Pick<TurnEnd, 'status'>): number {
  switch (status) {
    case 'completed':
      return exitOk;
    case 'failed':
      return exitChecksFailed;
    case 'cancelled':
      return signalExitCode('SIGINT') ?? exitOwnError;
    case 'interrupted':
      return exitInterrupted;
  }
}

/* Undefined: there is nothing to say. */
export function formatTurnEnd({ status, stopReason, message }: TurnEnd): string | undefined {
  const why = message === undefined ? '' : `: ${makeVisible(message)}`;
  switch (status) {
    case 'completed':
      return stopReason === undefined || stopReason === 'end_turn'
        ? undefined
        : `the agent stopped: ${makeVisible(stopReason)}`;
    case 'failed':
      return `the turn failed${why}`;
    case 'cancelled':
      return `the turn was cancelled${why}`;
    case 'interrupted':
      return `the turn was interrupted${why}; it is not sent again by itself`;
  }
}
