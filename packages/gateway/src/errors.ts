/*
 * Why a gateway does not start. What it refuses once it runs is in the API's own catalogue (protocol, api-errors).
 */
import { CodedError } from '@clawdfather/kit';

export const gatewayErrorCodes = [
  'account-user-unusable',
  'artifacts-unsafe',
  'listen-failed',
  'listen-unprotected',
  'log-key-unusable',
  'login-links-unsafe',
  'ssh-directory-unusable',
  'uploads-unsafe',
] as const;

export type GatewayErrorCode = (typeof gatewayErrorCodes)[number];

export class GatewayError extends CodedError<GatewayErrorCode> {}
