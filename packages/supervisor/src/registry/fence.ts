/*
 * O3: every statement on an existing run says `WHERE run_id = ? AND epoch = ?`.
 *
 * When such a statement changed no row, `refusalOf` finds out why. That the run
 * has exited is an ordinary outcome; that it is unknown, or that another
 * owner holds a newer epoch, is thrown, so that an owner that lost a run cannot go on.
 */
import type { Row, Statements } from '@clawdfather/sqlite';
import { SupervisorError } from '../errors.ts';
import type { RunId } from '../types.ts';
import { number } from './rows.ts';

/** Which run, and with what right. */
export interface RunKey {
  readonly runId: RunId;
  readonly epoch: number;
}

export function refusalOf(statements: Statements, key: RunKey): 'exited' {
  fencedRow(statements, key);
  return 'exited';
}

/** The run's whole row, read under its epoch. */
export function fencedRow({ one }: Statements, { runId, epoch }: RunKey): Row {
  const row = one('SELECT * FROM runs WHERE run_id = ?', [runId]);
  if (row === undefined) {
    throw new SupervisorError('run-not-found', `no run ${runId} is known`, { detail: { runId } });
  }
  const current = number(row, 'epoch');
  if (current === epoch) return row;
  throw new SupervisorError('epoch-stale', `run ${runId} has a newer owner`, {
    detail: { runId, epoch, current },
  });
}
