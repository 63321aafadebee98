/*
 * The life of an owner's lease (O1): registering, beating, letting go. Runs
 * inside a transaction of the commit queue.
 *
 * A beat is a compare-and-set: once another owner has taken a run from this one,
 * its lease is revoked and no beat brings it back, so a process that was frozen finds
 * out before it does anything else.
 */
import type { Statements } from '@clawdfather/sqlite';
import { SupervisorError } from '../errors.ts';
import { leaseMs, ownersKeptMax } from '../limits.ts';
import type { OwnerHandle, OwnerProcess } from './owners.ts';
import { number } from './rows.ts';

/** The two clocks a lease needs. */
export interface LeaseClock {
  readonly wallMs: () => number;
  /** Monotonic milliseconds since boot, the same in every process of this boot (C1). */
  readonly bootMs: () => number;
}

export interface OwnerWrites {
  /** The next generation of this instance, for this process. */
  readonly insertOwner: (instanceId: string, process: OwnerProcess) => OwnerHandle;
  /** The new expiry. Throws `lease-lost`. */
  readonly heartbeat: (owner: OwnerHandle) => number;
  readonly release: (owner: OwnerHandle) => void;
}

const insertSql = `INSERT INTO owners (instance_no, generation, pid, start_ticks, boot_id,
  pid_namespace, lease_expires_at_ms, started_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

const heartbeatSql = `UPDATE owners SET lease_expires_at_ms = ?
  WHERE instance_no = ? AND generation = ? AND revoked_at_ms IS NULL AND released_at_ms IS NULL`;

const releaseSql = `UPDATE owners SET released_at_ms = ?
  WHERE instance_no = ? AND generation = ? AND released_at_ms IS NULL`;

/* Without this every `clawdfather run` would leave a row for ever. */
const forgetSql = `DELETE FROM owners WHERE instance_no = ? AND generation < ?
  AND (released_at_ms IS NOT NULL OR revoked_at_ms IS NOT NULL)
  AND generation NOT IN (SELECT owner_generation FROM runs INDEXED BY runs_open
    WHERE tree_ended_at_ms IS NULL)`;

export function createOwnerWrites(statements: Statements, clock: LeaseClock): OwnerWrites {
  const { run } = statements;
  const expiryMs = (): number => Math.ceil(clock.bootMs() + leaseMs);
  return {
    insertOwner: (instanceId, process) => {
      const { instanceNo, generation } = nextGeneration(statements, instanceId);
      const { pid, startTicks, bootId, pidNamespace } = process;
      const identity = [instanceNo, generation, pid, startTicks, bootId, pidNamespace];
      run(insertSql, [...identity, expiryMs(), clock.wallMs()]);
      run(forgetSql, [instanceNo, generation - ownersKeptMax]);
      return { ...process, instanceId, instanceNo, generation };
    },
    heartbeat: (owner) => {
      const expiresAtMs = expiryMs();
      const { instanceId, instanceNo, generation } = owner;
      if (run(heartbeatSql, [expiresAtMs, instanceNo, generation]) === 0) {
        throw new SupervisorError('lease-lost', 'another owner has taken over from this process', {
          detail: { instanceId, generation },
        });
      }
      return expiresAtMs;
    },
    release: ({ instanceNo, generation }) => {
      run(releaseSql, [clock.wallMs(), instanceNo, generation]);
    },
  };
}

function nextGeneration(
  { run, one }: Statements,
  instanceId: string,
): { readonly instanceNo: number; readonly generation: number } {
  run('INSERT INTO instances (instance_id) VALUES (?) ON CONFLICT DO NOTHING', [instanceId]);
  run('UPDATE instances SET generation = generation + 1 WHERE instance_id = ?', [instanceId]);
  const row = one('SELECT * FROM instances WHERE instance_id = ?', [instanceId]);
  if (row === undefined) throw new TypeError('an instance row vanished in its own transaction');
  return { instanceNo: number(row, 'instance_no'), generation: number(row, 'generation') };
}
