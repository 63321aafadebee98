/*
 * From what a person typed to the one that is meant, of all that waits.
 */
import { CliError } from '../errors.ts';

export interface Waiting {
  readonly id: string;
  readonly runId?: string;
}

/* Throws `approval-not-found`, `approval-ambiguous`. */
export function findWaiting<One extends Waiting>(
  waiting: readonly One[],
  typed: string,
  flag: string,
): One {
  const [one, ...others] = waiting.filter(
    ({ id, runId = '' }) => typed !== '' && (id.startsWith(typed) || runId.startsWith(typed)),
  );
  if (one !== undefined && others.length === 0) return one;
  const code = one === undefined ? 'approval-not-found' : 'approval-ambiguous';
  const message = one === undefined ? 'nothing that waits begins' : 'several that wait begin';
  throw new CliError(code, `${message} with "${typed}"`, {
    hint: `See what waits: clf approvals${flag}. What is over: clf approvals${flag} -a`,
    detail: { typed },
  });
}
