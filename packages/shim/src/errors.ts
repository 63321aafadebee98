/*
 * What can go wrong between TypeScript and the shim, as codes.
 *
 * `shim-unreachable` and `shim-refused` carry a word that callers choose by,
 * because O5 treats a refused connection as evidence and a timeout as none.
 * docs/errors.md explains every code.
 */
import { CodedError, type ErrorParts } from '@clawdfather/kit';
import type { RefusalName } from './wire/constants.ts';

export const shimErrorCodes = [
  'shim-missing',
  'shim-start-failed',
  'shim-unreachable',
  'shim-refused',
  'shim-timeout',
  'link-lost',
  'link-congested',
  'message-invalid',
  'spawn-invalid',
  'journal-missing',
  'journal-unsupported',
  'cursor-invalid',
  'reader-misused',
] as const;

export type ShimErrorCode = (typeof shimErrorCodes)[number];

export class ShimError extends CodedError<ShimErrorCode> {}

/*
 * `refused`: a socket is there and no process listens. `missing`: no socket, or no run directory.
 * `permission`: the kernel said no. `timeout`: no answer within the limit.
 * `closed`: the connection ended before HELLO. Only the first two say something about the shim.
 */
export type UnreachableReason = 'refused' | 'missing' | 'permission' | 'timeout' | 'closed';

export class ShimUnreachableError extends ShimError {
  readonly reason: UnreachableReason;

  constructor(reason: UnreachableReason, parts: ErrorParts = {}) {
    super('shim-unreachable', `the shim's socket cannot be used: ${reason}`, {
      ...parts,
      detail: { ...parts.detail, reason },
    });
    this.reason = reason;
  }
}

export class ShimRefusedError extends ShimError {
  readonly refusal: RefusalName | 'unknown';
  /* The shim's epoch at the time: what a stale sender has to beat. */
  readonly epoch: number;

  constructor(refusal: RefusalName | 'unknown', epoch: number, message: string) {
    super('shim-refused', `the shim refused: ${refusal}${message === '' ? '' : ` (${message})`}`, {
      detail: { refusal, epoch },
    });
    this.refusal = refusal;
    this.epoch = epoch;
  }
}
