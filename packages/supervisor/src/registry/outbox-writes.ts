/*
 * The outbox: input is committed here before it is sent to the shim, and
 * dropped once the shim has accepted it (I1). The shim ignores what lies below
 * its own offset, so resending all of it after a crash delivers it once.
 *
 * The next offset is kept in the run's row: the outbox itself is often empty.
 */
import type { Statements } from '@clawdfather/sqlite';
import { SupervisorError } from '../errors.ts';
import { outboxBytesMax } from '../limits.ts';
import { exitedNumber } from '../run-states.ts';
import { fencedRow } from './fence.ts';
import type { RunKey } from './fence.ts';
import { number } from './rows.ts';

/** A part of one entry: entries are as long as their senders like, and nothing reads one whole. */
export interface InputPiece {
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Nothing of its entry follows. */
  readonly isLast: boolean;
}

export interface OutboxWrites {
  /**
   * Returns the offset at which these bytes are to be sent. With `at`, what is known from there on is left out; beyond the end
   * is `input-gap`. Throws `outbox-full`, `not-running`.
   */
  readonly appendInput: (key: RunKey, bytes: Uint8Array, at?: number) => number;
  /** Everything below the shim's accepted offset is delivered. */
  readonly trimInput: (key: RunKey, acceptedOffset: number) => void;
}

const insertSql = 'INSERT INTO input_outbox (run_id, offset, bytes) VALUES (?, ?, ?)';
const advanceSql = 'UPDATE runs SET input_offset = ? WHERE run_id = ? AND epoch = ?';
/* Half-sent entries stay whole: the shim drops the part it has. */
const trimSql = 'DELETE FROM input_outbox WHERE run_id = ? AND offset + length(bytes) <= ?';

export function createOutboxWrites(statements: Statements): OutboxWrites {
  const { run, one } = statements;
  return {
    appendInput: (key, given, at) => {
      const row = fencedRow(statements, key);
      const offset = number(row, 'input_offset');
      const known = offset - (at ?? offset);
      if (known < 0) throw inputGap(key, offset);
      /* Taken before: the caller is told so again, also when the run is over by now. */
      if (at !== undefined && known >= given.length) return offset;
      const bytes = given.subarray(known);
      if (number(row, 'state') === exitedNumber) {
        throw new SupervisorError('not-running', `run ${key.runId} has exited`);
      }
      const first = one('SELECT min(offset) AS first FROM input_outbox WHERE run_id = ?', [
        key.runId,
      ]);
      const waitingBytes = offset - Number(first?.['first'] ?? offset);
      if (waitingBytes + bytes.length > outboxBytesMax) {
        throw new SupervisorError('outbox-full', 'the run does not take its input', {
          detail: { runId: key.runId, waitingBytes },
        });
      }
      run(insertSql, [key.runId, offset, bytes]);
      run(advanceSql, [offset + bytes.length, key.runId, key.epoch]);
      return offset;
    },

    trimInput: (key, acceptedOffset) => {
      fencedRow(statements, key);
      run(trimSql, [key.runId, acceptedOffset]);
    },
  };
}

function inputGap({ runId }: RunKey, expected: number): SupervisorError {
  return new SupervisorError('input-gap', `the input of run ${runId} stands at ${expected}`, {
    detail: { runId, expected },
    hint: 'Send what lies between first.',
  });
}
