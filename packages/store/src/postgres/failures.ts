/*
 * The kinds of failure that PostgreSQL can cause, told apart by SQLSTATE and never by text.
 *
 * `conflict`  the transaction was undone and may be run again
 * `duplicate` a unique index refused; two that raced past each other's check look like this as well
 * `lost`      the connection is gone; what was under way may or may not have happened
 * `refused`   the server answered, and the answer is no
 */
import pg from 'pg';
import { StoreError } from '../errors.ts';

export type PostgresFailure = 'conflict' | 'duplicate' | 'lost' | 'refused';

/* serialization_failure, deadlock_detected */
const conflictCodes: readonly string[] = ['40001', '40P01'];
const duplicateCode = '23505';
/* query_canceled by our own statement timeout, disk_full, and so on, are answers. These are farewells. */
const farewellCodes: readonly string[] = ['57P01', '57P02', '57P03', '57P05', '25P03', '53300'];
/* feature_not_supported: a newer gateway has added a column, and this connection's prepared statement does not have it. Another
   connection prepares it anew; nothing else that we ask for is not supported. */
const stalePlanCode = '0A000';

/** Marks errors of the driver, so that a mistake in our own code is not taken for a lost connection. */
export class DriverError extends Error {
  readonly failure: PostgresFailure;

  constructor(failure: PostgresFailure, cause: unknown) {
    super('PostgreSQL', { cause });
    this.failure = failure;
  }
}

/** Sorts an error of `pg`. An error that does not come from the server means that the connection is lost. */
export function driverErrorOf(error: unknown): DriverError {
  if (error instanceof DriverError) return error;
  if (!(error instanceof pg.DatabaseError)) return new DriverError('lost', error);
  const code = error.code ?? '';
  if (conflictCodes.includes(code)) return new DriverError('conflict', error);
  if (code === duplicateCode) return new DriverError('duplicate', error);
  const isFarewell =
    farewellCodes.includes(code) || code === stalePlanCode || code.startsWith('08');
  return new DriverError(isFarewell ? 'lost' : 'refused', error);
}

/** The error callers see. Errors that are not the driver's pass unchanged. */
export function storeErrorOfPostgres(error: unknown): unknown {
  if (!(error instanceof DriverError)) return error;
  const { cause } = error;
  const detail = { sqlstate: cause instanceof pg.DatabaseError ? cause.code : undefined };
  switch (error.failure) {
    case 'conflict':
      return new StoreError('store-busy', 'others kept changing the same rows', { cause, detail });
    case 'lost':
      return new StoreError('store-unreachable', 'PostgreSQL does not answer', {
        cause,
        detail,
        hint: 'Nothing was recorded. Is the server up, and can it be reached?',
      });
    case 'duplicate':
    case 'refused':
      return new StoreError('store-failed', 'PostgreSQL refused a statement', { cause, detail });
  }
}
