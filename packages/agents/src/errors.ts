/*
 * Why an agent cannot be found, installed or started.
 */
import { CodedError } from '@clawdfather/kit';

export const agentsErrorCodes = [
  'agent-command-invalid',
  'agent-not-installed',
  'agent-not-on-host',
  'agent-platform-unsupported',
  'agent-unknown',
  'agents-dir-unsafe',
  'install-disk-full',
  'install-failed',
  'install-incomplete',
  'install-no-network',
  'install-no-npm',
] as const;

export type AgentsErrorCode = (typeof agentsErrorCodes)[number];

export class AgentsError extends CodedError<AgentsErrorCode> {}
