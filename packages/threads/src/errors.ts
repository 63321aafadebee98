/*
 * What threads refuse. docs/errors.md explains each.
 */
import { CodedError } from '@clawdfather/kit';

export const threadsErrorCodes = [
  'thread-not-found',
  'turn-not-found',
  'ask-not-found',
  'ask-decided',
  'option-not-offered',
  'answer-unfit',
  'thread-archived',
  'agent-not-started',
  'agent-elsewhere',
  'host-away',
  'no-place',
  'queue-full',
  'lane-full',
  'turn-not-waiting',
  'queue-crowded',
  'message-reused',
] as const;
export type ThreadsErrorCode = (typeof threadsErrorCodes)[number];

export class ThreadsError extends CodedError<ThreadsErrorCode> {}
