/*
 * Signal names to numbers, at the edge: callers speak names, the shim numbers.
 */
import { constants } from 'node:os';
import { SupervisorError } from '../../errors.ts';

export function signalNumberOf(name: string): number {
  const number = Object.entries(constants.signals).find(([known]) => known === name)?.[1];
  if (number !== undefined) return number;
  throw new SupervisorError('input-invalid', `there is no signal ${name}`, {
    detail: { field: 'signal' },
    hint: 'Use a name such as SIGINT.',
  });
}
