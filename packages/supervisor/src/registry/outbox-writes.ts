/*
 * The outbox: input is committed here before it is sent to the shim, and
 * dropped once the shim has accepted it (I1). The shim ignores what lies below
 * its own offset, so resending all of it after a crash delivers it once.
 *
 * The next offset is kept in the run's row: the outbox itself is often empty.
 */
import { SupervisorError } from '../errors.ts';
import { outboxBytesMax } from '../limits.ts';
import { number } from './rows.ts';
import { notFound, stale } from './run-writes.ts';
import type { RunKey } from './run-writes.ts';
import type { Statements } from './statements.ts';

export interface OutboxEntry {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export interface OutboxWrites {
  /** Returns the offset at which these bytes are to be sent. Throws `outbox-full`, `not-running`. */
  appendInput(key: RunKey, bytes: Uint8Array): number;
  /** Everything below the shim's accepted offset is delivered. */
  trimInput(key: RunKey, acceptedOffset: number): void;
}

export function createOutboxWrites({ run, one }: Statements): OutboxWrites {
  function offsetOf({ runId, epoch }: RunKey): number {
    const row = one('SELECT epoch, state, input_offset FROM runs WHERE run_id = ?', runId);
    if (row === undefined) throw notFound(runId);
    const current = number(row, 'epoch');
    if (current !== epoch) throw stale(runId, { epoch, current });
    if (number(row, 'state') === 3) {
      throw new SupervisorError('not-running', `run ${runId} has exited`, { detail: { runId } });
    }
    return number(row, 'input_offset');
  }

  return {
    appendInput: (key, bytes) => {
      const offset = offsetOf(key);
      const first = one(
        'SELECT min(offset) AS first FROM input_outbox WHERE run_id = ?',
        key.runId,
      );
      const waitingBytes = offset - Number(first?.['first'] ?? offset);
      if (waitingBytes + bytes.length > outboxBytesMax) {
        throw new SupervisorError('outbox-full', 'the run does not take its input', {
          detail: { runId: key.runId, waitingBytes },
        });
      }
      run(
        'INSERT INTO input_outbox (run_id, offset, bytes) VALUES (?, ?, ?)',
        key.runId,
        offset,
        bytes,
      );
      run(
        'UPDATE runs SET input_offset = ? WHERE run_id = ? AND epoch = ?',
        ...[offset + bytes.length, key.runId, key.epoch],
      );
      return offset;
    },

    trimInput: (key, acceptedOffset) => {
      // Half-sent entries stay whole: the shim drops the part it has.
      run(
        `DELETE FROM input_outbox WHERE run_id = ? AND offset + length(bytes) <= ?
         AND EXISTS (SELECT 1 FROM runs r WHERE r.run_id = input_outbox.run_id AND r.epoch = ?)`,
        ...[key.runId, acceptedOffset, key.epoch],
      );
    },
  };
}
