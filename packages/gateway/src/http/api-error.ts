/*
 * A refusal on its way to the client, and how everything that can be thrown becomes one.
 *
 * An error that is not known here is a mistake of ours: the client gets the trace id and nothing else, the log has the rest.
 */
import { CodedError, type ErrorParts, hasCode } from '@clawdfather/kit';
import { type ApiErrorCode, apiErrors } from '@clawdfather/protocol/api';
import type { StoreErrorCode } from '@clawdfather/store';
import { z } from 'zod';
import { runErrorCode } from './run-errors.ts';

export interface ApiErrorParts extends ErrorParts {
  /* Sent with the refusal, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class ApiError extends CodedError<ApiErrorCode> {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ApiErrorCode,
    message: string = apiErrors[code].meaning,
    parts: ApiErrorParts = {},
  ) {
    super(code, message, parts);
    this.headers = parts.headers ?? {};
  }

  get status(): number {
    return apiErrors[this.code].status;
  }
}

/* What a refusal says, on every way out. */
export function bodyOf({ code, message, detail, hint }: ApiError): Readonly<{ error: object }> {
  return { error: { code, message, detail, ...(hint === undefined ? {} : { hint }) } };
}

/* The answer for a missing thing and for another account's thing, word for word the same. */
export function notFound(): ApiError {
  return new ApiError('not_found');
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof z.ZodError) return fromZod(error);
  return (
    fromStore(error) ??
    fromRuns(error) ??
    fromFastify(error) ??
    new ApiError('internal_error', undefined, { cause: error })
  );
}

const issuesMax = 10;
/* A request can have ten thousand wrong fields; a message names this many. */
const messageCharactersMax = 500;

function fromZod(error: z.ZodError): ApiError {
  // Shown: where, and what was expected. Never the value, which may be a secret in the wrong field.
  const issues = error.issues.slice(0, issuesMax).map(({ path, message }) => ({
    path: cut(path.map(String).join('.')),
    message: cut(message),
  }));
  const [first] = issues;
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  return new ApiError('validation_error', `${where}${first?.message ?? 'invalid'}`, {
    detail: { issues },
  });
}

function cut(text: string): string {
  return text.length <= messageCharactersMax ? text : `${text.slice(0, messageCharactersMax)}…`;
}

const unavailable = [
  'store-busy',
  'store-closed',
  'store-unreachable',
  'outcome-unknown',
] as const satisfies readonly StoreErrorCode[];

function fromStore(error: unknown): ApiError | undefined {
  if (hasCode(error, ...unavailable)) {
    return new ApiError('unavailable', undefined, {
      cause: error,
      headers: { 'retry-after': '1' },
    });
  }
  if (hasCode(error, 'store-full'))
    return new ApiError('storage_full', undefined, { cause: error });
  if (hasCode(error, 'value-invalid')) {
    return new ApiError('validation_error', error.message, { detail: error.detail });
  }
  return undefined;
}

function fromRuns(error: unknown): ApiError | undefined {
  const code = runErrorCode(error);
  if (code === undefined || !(error instanceof CodedError)) return undefined;
  // A missing run says no more than a foreign one.
  if (code === 'not_found') return notFound();
  const { message, detail, hint } = error;
  return new ApiError(code, message, {
    // Several of ours share a code of the API; the command line tells them apart by this. That of a full queue is the word
    // that clients of turns know on every wire, beside `turn_code`.
    detail: { ...detail, reason: code === 'queue_full' ? code : error.code },
    cause: error,
    ...(hint === undefined ? {} : { hint }),
    ...(code === 'unavailable' ? { headers: { 'retry-after': '1' } } : {}),
  });
}

/* Fastify refuses before a handler runs: what cannot be parsed, is too big, or has the wrong type. */
function fromFastify(error: unknown): ApiError | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  switch (error.statusCode) {
    case 413:
      return new ApiError('payload_too_large', undefined, { cause: error });
    case 415:
      return new ApiError('unsupported_media_type', undefined, { cause: error });
    case 400:
      return new ApiError('validation_error', error.message, { cause: error });
    case 404:
      return notFound();
    case 503:
      return new ApiError('unavailable', undefined, { cause: error });
    default:
      return undefined;
  }
}
