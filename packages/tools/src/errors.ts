/*
 * The errors of the tools, told apart by code; docs/errors.md explains each one. What a caller chooses between (a failed
 * command, a denial) is a result and not here.
 */
import { CodedError } from '@clawdfather/kit';

export const toolsErrorCodes = [
  'account-not-local',
  'approval-changed',
  'approval-unusable',
  'cursor-invalid',
  'env-refused',
  'host-unreachable',
  'input-blocked',
  'journal-limit-reached',
  'name-taken',
  'no-terminal',
  'params-invalid',
  'program-not-found',
  'run-ambiguous',
  'run-ended',
  'run-held',
  'run-limit-reached',
  'run-running',
  'shield-unavailable',
  'signal-unknown',
  'stdin-closed',
  'storage-full',
  'tools-closed',
  'unknown-host',
  'unknown-run',
  'workdir-unusable',
] as const;

export type ToolsErrorCode = (typeof toolsErrorCodes)[number];

export class ToolsError extends CodedError<ToolsErrorCode> {}
