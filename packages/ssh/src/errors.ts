/*
 * Why keys cannot be kept or opened, and what cannot be written for ssh or sent to a host.
 */
import { CodedError } from '@clawdfather/kit';

export const sshErrorCodes = [
  'command-too-long',
  'command-unquotable',
  'config-field-invalid',
  'master-key-differs',
  'master-key-invalid',
  'master-key-missing',
  'master-key-unsafe',
  'public-key-invalid',
  'secret-unreadable',
  'signer-path-too-long',
  'signer-unsafe',
] as const;

export type SshErrorCode = (typeof sshErrorCodes)[number];

export class SshError extends CodedError<SshErrorCode> {}
