/*
 * What a task in a worker has to work with.
 */
import type { Supervisor } from '@clawdfather/supervisor';
import type { Contender, Started } from '../contenders/contender.ts';

export interface TaskContext {
  readonly contender: Contender;
  /* Only there when the contender is ours. */
  readonly supervisor: Supervisor | undefined;
  /* Commands that one task left running for the next one. */
  readonly idle: Started[];
}

export function supervisorOf({ supervisor }: TaskContext): Supervisor {
  if (supervisor === undefined) throw new TypeError('this task is about the supervisor');
  return supervisor;
}
