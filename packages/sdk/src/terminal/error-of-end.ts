/*
 * Why a terminal is over, as the error that those get who still want something of it.
 */
import { apiErrors, isApiErrorCode } from '@clawdfather/protocol/api';
import { RefusedError, SdkError } from '../errors.ts';
import type { TerminalEnd } from './next-terminal-link.ts';

type Refusal = Extract<TerminalEnd, { kind: 'refused' }>;

export function errorOfEnd(end: Refusal): RefusedError;
export function errorOfEnd(end: TerminalEnd): unknown;
export function errorOfEnd(end: TerminalEnd): unknown {
  switch (end.kind) {
    case 'exit':
      return refusedError('not_running', 'the run has ended');
    case 'left':
      return new SdkError('terminal-closed', 'this terminal was closed before the run took it');
    case 'refused':
      return refusedError(end.code, end.message);
    case 'failed':
      return end.error;
  }
}

/* A socket tells the code and not the status; the catalogue has it. 0 for a code that only a newer gateway knows. */
function refusedError(code: string, message: string): RefusedError {
  const status = isApiErrorCode(code) ? apiErrors[code].status : 0;
  return new RefusedError(message, {
    refusal: { code, status, traceId: undefined, retryAfterMs: undefined },
    detail: {},
  });
}
