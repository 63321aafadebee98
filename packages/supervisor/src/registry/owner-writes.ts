/*
 * Owners and what they own (O1–O3). All of it runs inside a transaction of the
 * commit queue.
 *
 * An owner is one process; its lease is one row, shown by all its runs. Taking
 * a run compares the owner's row and raises the epoch in the same transaction,
 * so of two that try, one wins and the other sees it:
 *
 *   released or revoked            taken at once
 *   proven dead by the caller      taken at once (same instance, O5 evidence)
 *   another boot of this host      taken at once: its processes are gone
 *   lease expired                  taken, and the old owner's lease is revoked
 *   anything else                  left alone
 *
 * Revoking makes the old owner's next heartbeat fail with `lease-lost`: one that
 * was frozen finds out before it does anything else. A foreign instance's runs
 * (a copied state directory, O6) are never taken.
 */
import { SupervisorError } from '../errors.ts';
import { leaseMs, ownersKeptMax } from '../limits.ts';
import type { RunId } from '../types.ts';
import { number, optionalNumber, text } from './rows.ts';
import type { Row, Statements } from './statements.ts';

/** The process that owns, as its evidence describes it. */
export interface OwnerProcess {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
  readonly pidNamespace: number;
}

/** What an owner holds while it lives; handed to every taking and every insert. */
export interface OwnerHandle extends OwnerProcess {
  readonly instanceId: string;
  readonly instanceNo: number;
  readonly generation: number;
}

/** An owner as others see it. */
export interface OwnerRecord extends OwnerProcess {
  readonly instanceId: string;
  readonly generation: number;
  /** Monotonic milliseconds of `bootId` (C1). */
  readonly leaseExpiresAtMs: number;
  readonly startedAtMs: number;
  readonly isReleased: boolean;
  readonly isRevoked: boolean;
}

export interface TakenRun {
  readonly runId: RunId;
  readonly epoch: number;
  readonly previousGeneration: number;
}

export type TakeOutcome =
  | ({ readonly outcome: 'taken' } & TakenRun)
  | {
      readonly outcome: 'ours' | 'healthy' | 'foreign' | 'exited' | 'unknown';
      readonly runId: RunId;
    };

export interface TakeInput {
  readonly owner: OwnerHandle;
  readonly runIds: readonly RunId[];
  /** Generations of this instance whose death the caller has proven (O2, O5). */
  readonly provenDead: readonly number[];
}

/** The two clocks a lease needs. */
export interface LeaseClock {
  readonly wallMs: () => number;
  /** Monotonic milliseconds since boot, the same in every process of this boot (C1). */
  readonly bootMs: () => number;
}

export interface OwnerWrites {
  insertOwner(instanceId: string, process: OwnerProcess): OwnerHandle;
  heartbeat(owner: OwnerHandle): number;
  release(owner: OwnerHandle): void;
  take(input: TakeInput): readonly TakeOutcome[];
  openRunsOf(instanceNo: number, generations: readonly number[]): readonly RunId[];
}

const ownerSql = `SELECT o.*, i.instance_id FROM owners o
  JOIN instances i ON i.instance_no = o.instance_no`;

export function createOwnerWrites(statements: Statements, clock: LeaseClock): OwnerWrites {
  const { run, one, all } = statements;

  function nextGeneration(instanceId: string): { instanceNo: number; generation: number } {
    run('INSERT INTO instances (instance_id) VALUES (?) ON CONFLICT DO NOTHING', instanceId);
    run('UPDATE instances SET generation = generation + 1 WHERE instance_id = ?', instanceId);
    const row = one(
      'SELECT instance_no, generation FROM instances WHERE instance_id = ?',
      instanceId,
    );
    if (row === undefined) throw new TypeError('an instance row vanished in its transaction');
    return { instanceNo: number(row, 'instance_no'), generation: number(row, 'generation') };
  }

  const expiry = (): number => Math.ceil(clock.bootMs() + leaseMs);

  function takeOne(input: TakeInput, runId: RunId): TakeOutcome {
    const { owner, provenDead } = input;
    const row = one('SELECT * FROM runs WHERE run_id = ?', runId);
    if (row === undefined) return { outcome: 'unknown', runId };
    if (row['tree_ended_at_ms'] !== null) return { outcome: 'exited', runId };
    if (number(row, 'owner_instance_no') !== owner.instanceNo) return { outcome: 'foreign', runId };
    const generation = number(row, 'owner_generation');
    if (generation === owner.generation) return { outcome: 'ours', runId };
    if (!provenDead.includes(generation) && !isTakeable(owner, generation)) {
      return { outcome: 'healthy', runId };
    }
    revoke(owner.instanceNo, generation);
    const epoch = number(row, 'epoch') + 1;
    run(
      `UPDATE runs SET epoch = ?, owner_generation = ?, updated_at_ms = ?
       WHERE run_id = ? AND epoch = ?`,
      ...[epoch, owner.generation, clock.wallMs(), runId, epoch - 1],
    );
    return { outcome: 'taken', runId, epoch, previousGeneration: generation };
  }

  function isTakeable(owner: OwnerHandle, generation: number): boolean {
    const row = one(
      'SELECT * FROM owners WHERE instance_no = ? AND generation = ?',
      ...[owner.instanceNo, generation],
    );
    // Forgotten owners were dead when they were forgotten.
    return row === undefined || leaseStateOf(row, owner.bootId, clock.bootMs()) !== 'held';
  }

  function revoke(instanceNo: number, generation: number): void {
    run(
      `UPDATE owners SET revoked_at_ms = ? WHERE instance_no = ? AND generation = ?
       AND revoked_at_ms IS NULL AND released_at_ms IS NULL`,
      ...[clock.wallMs(), instanceNo, generation],
    );
  }

  /** Without this every `clawdfather run` would leave a row for ever. */
  function forgetOwners(instanceNo: number, generation: number): void {
    run(
      `DELETE FROM owners WHERE instance_no = ? AND generation < ?
       AND (released_at_ms IS NOT NULL OR revoked_at_ms IS NOT NULL)
       AND generation NOT IN (SELECT owner_generation FROM runs WHERE tree_ended_at_ms IS NULL)`,
      ...[instanceNo, generation - ownersKeptMax],
    );
  }

  return {
    insertOwner: (instanceId, process) => {
      const { instanceNo, generation } = nextGeneration(instanceId);
      run(
        `INSERT INTO owners (instance_no, generation, pid, start_ticks, boot_id, pid_namespace,
         lease_expires_at_ms, started_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[instanceNo, generation, process.pid, process.startTicks],
        ...[process.bootId, process.pidNamespace, expiry(), clock.wallMs()],
      );
      forgetOwners(instanceNo, generation);
      return { ...process, instanceId, instanceNo, generation };
    },

    heartbeat: (owner) => {
      const expiresAtMs = expiry();
      const changed = run(
        `UPDATE owners SET lease_expires_at_ms = ? WHERE instance_no = ? AND generation = ?
         AND revoked_at_ms IS NULL AND released_at_ms IS NULL`,
        ...[expiresAtMs, owner.instanceNo, owner.generation],
      );
      if (changed === 0) throw leaseLost(owner);
      return expiresAtMs;
    },

    release: (owner) => {
      run(
        `UPDATE owners SET released_at_ms = ? WHERE instance_no = ? AND generation = ?
         AND released_at_ms IS NULL`,
        ...[clock.wallMs(), owner.instanceNo, owner.generation],
      );
    },

    take: (input) => input.runIds.map((runId) => takeOne(input, runId)),

    openRunsOf: (instanceNo, generations) =>
      all(
        `SELECT run_id, owner_generation FROM runs
         WHERE tree_ended_at_ms IS NULL AND owner_instance_no = ?`,
        instanceNo,
      )
        .filter((row) => generations.includes(number(row, 'owner_generation')))
        .map((row) => text(row, 'run_id') as RunId),
  };
}

/** How a lease stands for a process of boot `bootId` at `bootMs` of that boot. */
function leaseStateOf(row: Row, bootId: string, bootMs: number): 'held' | 'free' {
  if (row['released_at_ms'] !== null || row['revoked_at_ms'] !== null) return 'free';
  if (text(row, 'boot_id') !== bootId) return 'free';
  return number(row, 'lease_expires_at_ms') <= bootMs ? 'free' : 'held';
}

export function readOwners({ all }: Statements): readonly OwnerRecord[] {
  return all(`${ownerSql} ORDER BY o.instance_no, o.generation`).map(parseOwner);
}

function parseOwner(row: Row): OwnerRecord {
  return {
    instanceId: text(row, 'instance_id'),
    generation: number(row, 'generation'),
    pid: number(row, 'pid'),
    startTicks: number(row, 'start_ticks'),
    bootId: text(row, 'boot_id'),
    pidNamespace: number(row, 'pid_namespace'),
    leaseExpiresAtMs: number(row, 'lease_expires_at_ms'),
    startedAtMs: number(row, 'started_at_ms'),
    isReleased: optionalNumber(row, 'released_at_ms') !== undefined,
    isRevoked: optionalNumber(row, 'revoked_at_ms') !== undefined,
  };
}

function leaseLost({ instanceId, generation }: OwnerHandle): SupervisorError {
  return new SupervisorError('lease-lost', 'another owner has taken over from this process', {
    detail: { instanceId, generation },
  });
}
