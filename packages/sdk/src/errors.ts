/*
 * Why a call failed, as a program can tell it apart: the gateway refused, could not be reached, or answered nonsense.
 */
import { CodedError } from '@clawdfather/kit';
import type { ApiErrorCode } from '@clawdfather/protocol/api';

export const sdkErrorCodes = [
  'request-refused',
  'gateway-unreachable',
  'answer-invalid',
  'input-unconfirmed',
  'terminal-closed',
  'outbox-full',
] as const;

export type SdkErrorCode = (typeof sdkErrorCodes)[number];

export class SdkError extends CodedError<SdkErrorCode> {}

export interface Refusal {
  /* Newer gateways may know more codes than this client. */
  readonly code: ApiErrorCode | (string & {});
  readonly status: number;
  readonly traceId: string | undefined;
  /* When it is worth trying again. */
  readonly retryAfterMs: number | undefined;
}

export class RefusedError extends SdkError {
  readonly refusal: Refusal;

  constructor(
    message: string,
    parts: { refusal: Refusal; detail: Readonly<Record<string, unknown>>; hint?: string },
  ) {
    const { refusal, detail, hint } = parts;
    super('request-refused', message, { detail, ...(hint === undefined ? {} : { hint }) });
    this.refusal = refusal;
  }
}
