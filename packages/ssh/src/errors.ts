/*
 * Why keys cannot be kept or opened.
 */
import { CodedError } from '@clawdfather/kit';

export const sshErrorCodes = [
  'master-key-differs',
  'master-key-invalid',
  'master-key-missing',
  'master-key-unsafe',
  'secret-unreadable',
] as const;

export type SshErrorCode = (typeof sshErrorCodes)[number];

export class SshError extends CodedError<SshErrorCode> {}
