/*
 * Owners as data (O1): who a process is, how its lease stands, how its row reads.
 */
import type { Row, Statements } from '@clawdfather/sqlite';
import { number, optionalNumber, text } from './rows.ts';

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
  /** It let go on purpose. */
  readonly isReleased: boolean;
  /** Another owner took a run from it after it was dead or its lease had expired. */
  readonly isRevoked: boolean;
}

/** The moment at which a lease is looked at: which boot, and how far into it (C1). */
export interface BootMoment {
  readonly bootId: string;
  readonly bootMs: number;
}

/**
 * `free` may be taken from. Another boot id frees it by definition: its processes
 * are gone with their kernel. Within one boot only the monotonic clock counts.
 */
export function leaseStateOf(
  lease: Pick<OwnerRecord, 'bootId' | 'leaseExpiresAtMs' | 'isReleased' | 'isRevoked'>,
  now: BootMoment,
): 'held' | 'free' {
  if (lease.isReleased || lease.isRevoked) return 'free';
  if (lease.bootId !== now.bootId) return 'free';
  return lease.leaseExpiresAtMs <= now.bootMs ? 'free' : 'held';
}

const ownerSql = `SELECT o.*, i.instance_id FROM owners o
  JOIN instances i ON i.instance_no = o.instance_no`;

export function readOwners({ all }: Statements): readonly OwnerRecord[] {
  return all(`${ownerSql} ORDER BY o.instance_no, o.generation`).map(parseOwner);
}

export function readOwner(
  { one }: Statements,
  instanceNo: number,
  generation: number,
): OwnerRecord | undefined {
  const row = one(`${ownerSql} WHERE o.instance_no = ? AND o.generation = ?`, [
    instanceNo,
    generation,
  ]);
  return row === undefined ? undefined : parseOwner(row);
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
