/*
 * The registry: facts about processes on this host, in one SQLite file that all
 * supervisors of this user share.
 *
 * It is an index: the run directories hold the truth and the file can be rebuilt
 * from them. Hence WAL with synchronous NORMAL. A crash of ours loses nothing; a
 * power cut may lose the last commits, and with it went every process they spoke
 * of. FULL would cost an fsync per commit, eleven times the price, for rows that
 * a new boot id makes obsolete anyway.
 *
 * Stages of opening: 1 check the directory (state-dir.ts) · 2 open the file ·
 * 3 under the write lock, migrate and settle the directory's identity (O6).
 *
 * All writes go through the commit queue; reads are direct and never steal (O2).
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Random } from '@clawdfather/kit';
import {
  createClosureQueue,
  createStatements,
  readSnapshot,
  type Statements,
} from '@clawdfather/sqlite';
import { takeRunsPerWriteMax } from '../limits.ts';
import type { RunId } from '../types.ts';
import { createApprovalReads } from './approval-reads.ts';
import { createApprovalWrites } from './approval-writes.ts';
import type { ApprovalReads, ApprovalWrites } from './approvals.ts';
import { createCheckpointer, noCheckpointer } from './checkpoint.ts';
import { countWritten } from './count-written.ts';
import { createPatientReads, freeBytesOf, openCopy, openDatabase } from './database.ts';
import { createId, openInstance, readOnlyInstance } from './instance.ts';
import type { Instance, InstanceInput } from './instance.ts';
import { migrate } from './migrate.ts';
import { createOutboxWrites } from './outbox-writes.ts';
import type { OutboxWrites } from './outbox-writes.ts';
import { createOwnerWrites } from './owner-writes.ts';
import { readOwners } from './owners.ts';
import type { OwnerHandle, OwnerProcess, OwnerRecord } from './owners.ts';
import { createInsertRecovered } from './recover.ts';
import type { InsertRecovered } from './recover.ts';
import { registryErrors } from './registry-errors.ts';
import { createRunChanges } from './run-changes.ts';
import type { RunChanges } from './run-changes.ts';
import { createRunReads } from './run-reads.ts';
import type { RunReads } from './run-reads.ts';
import { createRunWrites } from './run-writes.ts';
import type { RunWrites } from './run-writes.ts';
import type { StateDir } from './state-dir.ts';
import { createTakeRuns, openRunsOf } from './take-runs.ts';
import type { TakeOutcome } from './take-runs.ts';

export interface RegistryDeps {
  readonly stateDir: StateDir;
  readonly clock: Clock;
  readonly random: Random;
  readonly bootId: string;
  /** Monotonic milliseconds since boot, the same in every process of this boot (C1). */
  readonly bootMs: () => number;
}

/** What a closure may do. It may run twice and must touch nothing else (Q1). */
export interface RegistryTransaction extends RunWrites, RunChanges, OutboxWrites, ApprovalWrites {
  readonly get: RunReads['get'];
  readonly insertRecovered: InsertRecovered;
}

export interface OpenedOwner {
  readonly owner: OwnerHandle;
  readonly taken: readonly TakeOutcome[];
}

export interface Registry extends RunReads, ApprovalReads {
  readonly instanceId: string;
  /** O6: this open found a copied directory and gave it a new identity. */
  readonly isNewCopy: boolean;
  /** In memory, because nothing can be written: what it is told is lost when it closes. */
  readonly isCopy: boolean;
  /** Committed when it resolves; grouped with whatever else was queued in this turn. */
  write<Value>(work: (transaction: RegistryTransaction) => Value): Promise<Value>;
  owners(): readonly OwnerRecord[];
  /**
   * Registers this process under the next generation and, in the same transaction,
   * takes every open run of the generations that the caller has proven dead (O2).
   */
  openOwner(process: OwnerProcess, provenDead?: readonly number[]): Promise<OpenedOwner>;
  /** Returns the new expiry. Throws `lease-lost` when another owner took over. */
  heartbeat(owner: OwnerHandle): Promise<number>;
  /** Lets go on purpose: its open runs may be taken at once; nothing is ended. */
  releaseOwner(owner: OwnerHandle): Promise<void>;
  /** Takes what may be taken (see owner-writes.ts); each run's outcome by itself. */
  takeRuns(
    owner: OwnerHandle,
    runIds: readonly RunId[],
    provenDead?: readonly number[],
  ): Promise<readonly TakeOutcome[]>;
  /** Settles what is queued, then closes the file. Twice is once. */
  close(): Promise<void>;
}

export async function openRegistry(deps: RegistryDeps): Promise<Registry> {
  const { stateDir, clock, random } = deps;
  let instance: Instance | undefined;
  const db = await openDatabase(
    stateDir.registryFile,
    (opened) => {
      migrate(opened);
      instance = openInstance(instanceInput(deps));
    },
    { clock, random, errors: registryErrors },
  );
  if (instance === undefined) throw new TypeError('the registry opened without an identity');
  return createRegistry(deps, { db, instance, isCopy: false });
}

/**
 * For a disk that cannot be written: a copy in memory, good for looking and for the operator's commands (O4). Nothing that is
 * written to it lasts, so nothing may be claimed by it (O3).
 */
export function openRegistryCopy(deps: RegistryDeps): Registry {
  const db = openCopy(readSnapshot(deps.stateDir.registryFile), (opened) => migrate(opened));
  return createRegistry(deps, {
    db,
    instance: readOnlyInstance(instanceInput(deps)),
    isCopy: true,
  });
}

function instanceInput({ stateDir, bootId, random }: RegistryDeps): InstanceInput {
  return { stateDir, bootId, createId: () => createId(random) };
}

interface OpenedDatabase {
  readonly db: DatabaseSync;
  readonly instance: Instance;
  readonly isCopy: boolean;
}

function createRegistry(deps: RegistryDeps, opened: OpenedDatabase): Registry {
  const { stateDir, clock, random } = deps;
  const { db, instance, isCopy } = opened;
  const { instanceId, isNewCopy } = instance;
  const statements = countWritten(createStatements(db));
  const patient = createPatientReads(db, statements);
  const wallMs = (): number => clock.wallMs();
  const leaseClock = { wallMs, bootMs: deps.bootMs };
  const queue = createClosureQueue({
    statements,
    clock,
    random,
    errors: registryErrors,
    onCommit: () => checkpointer.afterCommit(),
  });
  const checkpointer = isCopy
    ? noCheckpointer
    : createCheckpointer({ file: stateDir.registryFile, queue, written: statements });
  checkpointer.afterOpening(freeBytesOf(db));
  const ownerWrites = createOwnerWrites(statements, leaseClock);
  const take = createTakeRuns(statements, leaseClock);
  const transaction = createTransaction(statements, wallMs);

  return {
    ...createRunReads(patient),
    ...createApprovalReads(patient),
    instanceId,
    isNewCopy,
    isCopy,
    write: (work) => queue.write(() => work(transaction)),
    owners: () => readOwners(patient),
    openOwner: (process, provenDead = []) =>
      queue.write(() => {
        const owner = ownerWrites.insertOwner(instanceId, process);
        const runIds = openRunsOf(statements, owner.instanceNo, provenDead);
        return { owner, taken: take({ owner, runIds, provenDead }) };
      }),
    heartbeat: (owner) => queue.write(() => ownerWrites.heartbeat(owner)),
    releaseOwner: (owner) => queue.write(() => ownerWrites.release(owner)),
    takeRuns: async (owner, runIds, provenDead = []) => {
      const outcomes: TakeOutcome[] = [];
      for (let start = 0; start < runIds.length; start += takeRunsPerWriteMax) {
        const part = runIds.slice(start, start + takeRunsPerWriteMax);
        const input = { owner, runIds: part, provenDead };
        outcomes.push(...(await queue.write(() => take(input))));
      }
      return outcomes;
    },
    close: async () => {
      await checkpointer.close();
      await queue.close();
      if (db.isOpen) db.close();
    },
  };
}

function createTransaction(statements: Statements, wallMs: () => number): RegistryTransaction {
  return {
    ...createRunWrites(statements, wallMs),
    ...createRunChanges(statements, wallMs),
    ...createOutboxWrites(statements),
    ...createApprovalWrites(statements),
    insertRecovered: createInsertRecovered(statements, wallMs),
    get: createRunReads(statements).get,
  };
}
