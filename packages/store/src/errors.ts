/*
 * Every error of the control database that a program may tell apart. Outcomes that a caller has to choose between (a label
 * is taken, an epoch is stale) are return values of the queries, not errors.
 */
import { CodedError } from '@clawdfather/kit';

export const storeErrorCodes = [
  'store-busy',
  'store-closed',
  'store-corrupt',
  'store-failed',
  'store-full',
  'store-in-use',
  'store-missing',
  'store-newer',
  'store-older',
  'store-unreachable',
  'store-unsafe',
  'outcome-unknown',
  'work-waited',
  'migration-changed',
  'migration-missing',
  'backup-failed',
  'backup-unsound',
  'restore-failed',
  'value-invalid',
] as const;

export type StoreErrorCode = (typeof storeErrorCodes)[number];

export class StoreError extends CodedError<StoreErrorCode> {}

export function closedError(): StoreError {
  return new StoreError('store-closed', 'the control database is closed');
}
