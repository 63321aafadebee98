/*
 * Taking runs over (O2, O3), inside a transaction of the commit queue.
 *
 * The owner's row is looked at and the epoch raised in one transaction, so of
 * two processes that try, one wins and the other sees it:
 *
 *   proven dead by the caller      taken at once (same instance, O5 evidence)
 *   released or revoked            taken at once
 *   of another boot of this host   taken at once: its processes are gone
 *   lease expired                  taken
 *   anything else                  left alone, `healthy`
 *
 * The old owner's lease is revoked with the first run that is taken from it. A
 * foreign instance's runs (a copied state directory, O6) are never taken.
 */
import type { Row, Statements } from '@clawdfather/sqlite';
import type { RunId } from '../types.ts';
import type { LeaseClock } from './owner-writes.ts';
import { leaseStateOf, readOwner } from './owners.ts';
import type { OwnerHandle } from './owners.ts';
import { number, text } from './rows.ts';

/** How the previous owner stood: it let go, its lease had run out, or it was proven dead within it. */
export type TakenFrom = 'released' | 'expired' | 'dead';

export type TakeOutcome =
  | {
      readonly outcome: 'taken';
      readonly runId: RunId;
      readonly from: TakenFrom;
      /** The new one; the shim has to be told next (O3). */
      readonly epoch: number;
      readonly previousGeneration: number;
    }
  | {
      readonly outcome: 'ours' | 'healthy' | 'foreign' | 'ended' | 'unknown';
      readonly runId: RunId;
    };

export interface TakeInput {
  readonly owner: OwnerHandle;
  readonly runIds: readonly RunId[];
  /** Generations of this instance whose death the caller has proven (O2, O5). */
  readonly provenDead: readonly number[];
}

const revokeSql = `UPDATE owners SET revoked_at_ms = ? WHERE instance_no = ? AND generation = ?
  AND revoked_at_ms IS NULL AND released_at_ms IS NULL`;

const takeSql = `UPDATE runs SET epoch = ?, owner_generation = ?, updated_at_ms = ?
  WHERE run_id = ? AND epoch = ?`;

export function createTakeRuns(
  statements: Statements,
  clock: LeaseClock,
): (input: TakeInput) => readonly TakeOutcome[] {
  const { run, one } = statements;

  function takeOne({ owner, provenDead }: TakeInput, runId: RunId): TakeOutcome {
    const row = one('SELECT * FROM runs WHERE run_id = ?', [runId]);
    const refusal = refusalOf(row, owner);
    if (row === undefined || refusal !== undefined) return { outcome: refusal ?? 'unknown', runId };
    const { instanceNo } = owner;
    const previousGeneration = number(row, 'owner_generation');
    const from = takeableFrom(owner, previousGeneration);
    const isProvenDead = provenDead.includes(previousGeneration);
    if (from === undefined && !isProvenDead) return { outcome: 'healthy', runId };
    run(revokeSql, [clock.wallMs(), instanceNo, previousGeneration]);
    const epoch = number(row, 'epoch') + 1;
    run(takeSql, [epoch, owner.generation, clock.wallMs(), runId, epoch - 1]);
    return { outcome: 'taken', runId, from: from ?? 'dead', epoch, previousGeneration };
  }

  function takeableFrom(owner: OwnerHandle, generation: number): TakenFrom | undefined {
    const lease = readOwner(statements, owner.instanceNo, generation);
    // A forgotten owner had let go or was revoked when it was forgotten.
    if (lease === undefined || lease.isReleased) return 'released';
    const now = { bootId: owner.bootId, bootMs: clock.bootMs() };
    return leaseStateOf(lease, now) === 'free' ? 'expired' : undefined;
  }

  return (input) => input.runIds.map((runId) => takeOne(input, runId));
}

function refusalOf(
  row: Row | undefined,
  owner: OwnerHandle,
): 'unknown' | 'ended' | 'foreign' | 'ours' | undefined {
  if (row === undefined) return 'unknown';
  if (row['tree_ended_at_ms'] !== null) return 'ended';
  if (number(row, 'owner_instance_no') !== owner.instanceNo) return 'foreign';
  return number(row, 'owner_generation') === owner.generation ? 'ours' : undefined;
}

/** What these generations of an instance still hold open. */
export function openRunsOf(
  { all }: Statements,
  instanceNo: number,
  generations: readonly number[],
): readonly RunId[] {
  return all(
    `SELECT run_id, owner_generation FROM runs INDEXED BY runs_open
     WHERE tree_ended_at_ms IS NULL AND owner_instance_no = ?`,
    [instanceNo],
  )
    .filter((row) => generations.includes(number(row, 'owner_generation')))
    .map((row) => text(row, 'run_id') as RunId);
}
