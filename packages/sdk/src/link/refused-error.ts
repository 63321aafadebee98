/*
 * A refusal that came over a socket. It tells the code and not the status; the catalogue has it. 0 for a code that only a newer gateway knows.
 */
import { apiErrors, isApiErrorCode } from '@clawdfather/protocol/api/names';
import { RefusedError } from '../errors.ts';

export function refusedError({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): RefusedError {
  const status = isApiErrorCode(code) ? apiErrors[code].status : 0;
  return new RefusedError(message, {
    refusal: { code, status, traceId: undefined, retryAfterMs: undefined },
    detail: {},
  });
}
