/*
 * What the command line itself can fail with. Errors of the supervisor come
 * through with their own codes; these are only for what happens before or
 * around it. Explained in docs/errors.md.
 */
import { CodedError } from '@clawdfather/kit';

export const cliErrorCodes = [
  'usage',
  'approval-pending',
  'denied',
  'name-taken',
  'run-not-found',
  'run-ambiguous',
  'run-elsewhere',
  'not-a-terminal',
  'run-ended',
  'run-held',
  'run-still-alive',
  'stdin-closed',
  'state-dir-unusable',
  'config-invalid',
  'config-unreadable',
  'config-unsafe',
  'input-blocked',
  'output-unwritable',
  'disk-unwritable',
  'approval-not-found',
  'approval-ambiguous',
  'approval-decided',
  'approval-refused',
  'approval-not-for-ever',
  'rule-not-found',
  'rule-ambiguous',
  'rule-revoked',
  'gateway-running',
  'gateway-not-running',
  'gateway-elsewhere',
  'gateway-stop-overdue',
  'secret-file-unreadable',
  'secret-file-unsafe',
  'gateway-not-found',
  'gateway-port-taken',
  'gateway-not-back',
  'agent-unknown-here',
  'not-signed-in',
  'no-terminal-sign-in',
  'sign-in-refused',
  'gateways-unreadable',
  'gateway-needed',
  'host-not-found',
  'key-not-found',
  'session-not-found',
  'thread-not-found',
  'thread-ambiguous',
  'artifact-not-found',
  'artifact-refused',
  'artifact-damaged',
  'turn-not-found',
  'turn-ambiguous',
  'option-needed',
  'asks-unreachable',
  'token-not-found',
  'in-shield',
  'tools-refused',
  'tools-unreachable',
  'device-not-found',
  'service-unsupported',
  'service-failed',
  'drill-failed',
  'file-exists',
  'file-unreadable',
] as const;

export type CliErrorCode = (typeof cliErrorCodes)[number];

export class CliError extends CodedError<CliErrorCode> {}

export function usageError(message: string, hint?: string): CliError {
  return new CliError('usage', message, hint === undefined ? {} : { hint });
}
