/*
 * The words of a database that exists in tests only.
 */
import { CodedError } from '@clawdfather/kit';
import { type DatabaseErrors, sqliteFailureOf } from '../src/failures.ts';

export const testErrors: DatabaseErrors = {
  of: (error) => {
    const failure = sqliteFailureOf(error);
    return failure === undefined
      ? error
      : new CodedError(`test-${failure}`, 'no', { cause: error });
  },
  busy: (why) => new CodedError('test-busy', why),
  closed: () => new CodedError('test-closed', 'closed'),
};
