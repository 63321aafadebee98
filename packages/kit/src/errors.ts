/*
 * Errors that a program can tell apart.
 *
 * Each package lists its codes once, in its own `src/errors.ts`:
 *
 *   export const supervisorErrorCodes = ['scope-uncertain', …] as const;
 *   export class SupervisorError extends CodedError<(typeof supervisorErrorCodes)[number]> {}
 *
 * `docs/errors.md` explains every code, and a house rule compares the two.
 * Code branches on `code`; the message is for people and may change.
 */

export type ErrorDetail = Readonly<Record<string, unknown>>;

export interface ErrorParts {
  /* Facts about this very failure. No secrets and no output: it may be logged. */
  readonly detail?: ErrorDetail;
  /* What the reader can do about it, as a sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly detail: ErrorDetail;
  readonly hint: string | undefined;

  constructor(code: Code, message: string, parts: ErrorParts = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = new.target.name;
    this.code = code;
    this.detail = parts.detail ?? {};
    this.hint = parts.hint;
  }
}

/* True for an error of any of our packages that carries one of these codes. */
export function hasCode<Code extends string>(
  error: unknown,
  ...codes: readonly Code[]
): error is CodedError<Code> {
  return error instanceof CodedError && codes.some((code) => code === error.code);
}

/* The system's own name of what went wrong, such as ENOENT; undefined where the system did not say. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

export function hasErrno(error: unknown, ...names: readonly string[]): boolean {
  const name = errnoOf(error);
  return name !== undefined && names.includes(name);
}
