/*
 * Turns an error from handling a message into the refusal that the client gets.
 */
import { hasCode } from '@clawdfather/kit';
import { ApiError, notFound, toApiError } from '../http/api-error.ts';

export function toRefusal(error: unknown): ApiError {
  if (hasCode(error, 'not-running', 'stdin-closed')) {
    return new ApiError('not_running', error.message, { cause: error });
  }
  if (hasCode(error, 'cursor-invalid')) {
    return new ApiError('validation_error', `cursor: ${error.message}`, { cause: error });
  }
  // Its files are gone: it was removed while a client read it.
  if (hasCode(error, 'run-not-found', 'journal-missing')) return notFound();
  if (hasCode(error, 'supervisor-closed', 'registry-closed', 'lease-lost', 'shim-unreachable')) {
    return new ApiError('unavailable', undefined, { cause: error });
  }
  if (hasCode(error, 'epoch-stale')) return new ApiError('epoch_stale');
  return toApiError(error);
}
