/*
 * The errors of the supervisor, told apart by code.
 *
 * `docs/errors.md` explains each one. Outcomes that a caller chooses between
 * (already exited, taken by another) are return values and are not here.
 */
import { CodedError } from '@clawdfather/kit';

export const supervisorErrorCodes = [
  'epoch-stale',
  'input-gap',
  'input-invalid',
  'input-refused',
  'instance-invalid',
  'lease-lost',
  'limits-unsupported',
  'not-owner',
  'not-running',
  'outbox-full',
  'platform-unsupported',
  'proc-unreadable',
  'registry-busy',
  'registry-closed',
  'registry-corrupt',
  'registry-failed',
  'registry-full',
  'registry-newer',
  'run-held',
  'run-not-found',
  'scope-busy',
  'scope-uncertain',
  'shim-unreachable',
  'size-not-held',
  'spawn-cancelled',
  'spawn-failed',
  'start-timeout',
  'state-dir-unsafe',
  'state-on-network-fs',
  'stdin-closed',
  'supervisor-closed',
] as const;

export type SupervisorErrorCode = (typeof supervisorErrorCodes)[number];

export class SupervisorError extends CodedError<SupervisorErrorCode> {}
