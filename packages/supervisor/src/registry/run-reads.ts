/*
 * Reading runs. Reads are synchronous and never steal (O2): in WAL mode they
 * do not wait for writers.
 *
 * The one lock a read can meet is another process recovering the log after a
 * crash; then, and only then, it waits for `readBusyMs` inside SQLite.
 */
import type { Statements } from '@clawdfather/sqlite';
import { inputPieceBytes, listRowsDefault } from '../limits.ts';
import { runStates } from '../run-states.ts';
import type { RunFilter, RunId, RunKind, RunRecord } from '../types.ts';
import type { InputPiece } from './outbox-writes.ts';
import {
  number,
  optionalText,
  parseLabels,
  parseRun,
  selectLabelledRuns,
  selectOpenRuns,
  selectRuns,
  text,
} from './rows.ts';

/** What retention needs to know about a finished run, and no more. */
export interface FinishedRun {
  readonly runId: RunId;
  readonly epoch: number;
  readonly endedAtMs: number;
  readonly journalBytes: number;
  readonly isRemoved: boolean;
  /** False while the shim still holds leftovers or survivors (T1, T4). */
  readonly isTreeGone: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

export interface RunReads {
  readonly get: (runId: string) => RunRecord | undefined;
  /** Newest first. */
  readonly list: (filter?: RunFilter) => readonly RunRecord[];
  readonly count: (filter?: RunFilter) => number;
  /** All that is live or whose tree is not gone: what reconciliation looks at. Oldest first. */
  readonly open: () => readonly RunRecord[];
  readonly finished: () => readonly FinishedRun[];
  /** The next piece of what the shim may not have accepted yet, from this offset on (I1). */
  readonly nextInput: (runId: string, from: number) => InputPiece | undefined;
  /** Where the next durable input goes. */
  readonly inputOffset: (runId: string) => number;
}

type Value = string | number;
interface Term {
  readonly sql: string;
  readonly values: readonly Value[];
}

const nextInputSql = `SELECT max(offset, ?) AS at, offset + length(bytes) AS until,
  substr(bytes, max(offset, ?) - offset + 1, ?) AS bytes
  FROM input_outbox WHERE run_id = ? AND offset + length(bytes) > ? ORDER BY offset LIMIT 1`;

export function createRunReads({ one, all }: Statements): RunReads {
  return {
    get: (runId) => {
      const row = one(`${selectRuns} WHERE r.run_id = ?`, [runId]);
      return row === undefined ? undefined : parseRun(row);
    },
    list: (filter = {}) => {
      const { sql, values } = queryOf(filter);
      const page = [filter.limit ?? listRowsDefault, filter.offset ?? 0];
      return all(`${sql} LIMIT ? OFFSET ?`, [...values, ...page]).map(parseRun);
    },
    count: (filter = {}) => {
      const { sql, values } = queryOf(filter);
      return Number(one(`SELECT count(*) AS count FROM (${sql})`, values)?.['count'] ?? 0);
    },
    open: () =>
      all(`${selectOpenRuns} WHERE r.tree_ended_at_ms IS NULL ORDER BY r.seq`).map(parseRun),
    finished: () =>
      all(
        `SELECT run_id, epoch, ended_at_ms, journal_bytes, removed_at_ms, tree_ended_at_ms, labels
         FROM runs WHERE state = 3`,
      ).map((row) => ({
        runId: text(row, 'run_id') as RunId,
        epoch: number(row, 'epoch'),
        endedAtMs: number(row, 'ended_at_ms'),
        journalBytes: Number(row['journal_bytes'] ?? 0),
        isRemoved: row['removed_at_ms'] !== null,
        isTreeGone: row['tree_ended_at_ms'] !== null,
        labels: parseLabels(optionalText(row, 'labels')),
      })),
    nextInput: (runId, from) => {
      const row = one(nextInputSql, [from, from, inputPieceBytes, runId, from]);
      if (row === undefined) return undefined;
      const piece = { offset: number(row, 'at'), bytes: row['bytes'] as Uint8Array };
      return { ...piece, isLast: piece.offset + piece.bytes.length >= number(row, 'until') };
    },
    inputOffset: (runId) =>
      Number(one('SELECT input_offset FROM runs WHERE run_id = ?', [runId])?.['input_offset'] ?? 0),
  };
}

function queryOf(filter: RunFilter): Term {
  const [label] = Object.entries(filter.labels ?? {});
  // What is live, or has a certain id, is few; everything that ever had a label is not.
  const isNarrow =
    filter.idPrefix !== undefined || filter.scopeKey !== undefined || filter.hasTree === true;
  const isLed = label !== undefined && !isNarrow && filter.states?.includes('exited') !== false;
  const terms = termsOf(filter);
  const where = terms.map((term) => term.sql).join(' AND ');
  const values = terms.flatMap((term) => term.values);
  return isLed
    ? {
        sql: `${selectLabelledRuns} WHERE ${where} ORDER BY l.seq DESC`,
        values: [...label, ...values],
      }
    : { sql: `${selectRuns} WHERE ${where} ORDER BY r.seq DESC`, values };
}

function termsOf(filter: RunFilter): readonly Term[] {
  const terms: Term[] = [{ sql: '1', values: [] }];
  if (filter.anyOf !== undefined) terms.push(anyTerm(filter.anyOf));
  const equal = (column: string, value: string | undefined): void => {
    if (value !== undefined) terms.push({ sql: `${column} = ?`, values: [value] });
  };
  if (filter.states !== undefined) terms.push(statesTerm(filter.states));
  equal('r.session_id', filter.sessionId);
  // The plus keeps SQLite from its index: a backend has most of the runs, and every other term leads to fewer.
  equal('+r.backend_id', filter.backendId);
  if (filter.exceptBackendId !== undefined) {
    terms.push({ sql: '+r.backend_id <> ?', values: [filter.exceptBackendId] });
  }
  equal('i.instance_id', filter.ownerInstanceId);
  if (filter.scopeKey !== undefined) {
    terms.push({ sql: 'r.scope_key = ?', values: [filter.scopeKey] });
  }
  for (const [name, value] of Object.entries(filter.labels ?? {})) {
    terms.push({
      sql: 'EXISTS (SELECT 1 FROM run_labels WHERE name = ? AND value = ? AND seq = r.seq)',
      values: [name, value],
    });
  }
  if (filter.hasTree === true) terms.push({ sql: 'r.tree_ended_at_ms IS NULL', values: [] });
  if (filter.idPrefix !== undefined) terms.push(prefixTerm(filter.idPrefix));
  if (filter.includeRemoved !== true) terms.push({ sql: 'r.removed_at_ms IS NULL', values: [] });
  return terms;
}

/** Led by indexes, so that runs of others are not even looked at; then each is compared with the kinds themselves. */
function anyTerm(kinds: readonly RunKind[]): Term {
  if (kinds.length === 0) return { sql: '0', values: [] };
  const leads = kinds.map(leadOf);
  const each = kinds.map((kind) => termsOf({ ...kind, includeRemoved: true }));
  const sql = each.map((terms) => `(${terms.map((term) => term.sql).join(' AND ')})`);
  return {
    sql: `r.seq IN (${leads.map((lead) => lead.sql).join(' UNION ')}) AND (${sql.join(' OR ')})`,
    values: [...leads, ...each.flat()].flatMap((term) => term.values),
  };
}

/** The numbers of all runs that may be of this kind. */
function leadOf({ labels = {}, sessionId, backendId }: RunKind): Term {
  const [label] = Object.entries(labels);
  if (label !== undefined) {
    return { sql: 'SELECT seq FROM run_labels WHERE name = ? AND value = ?', values: label };
  }
  if (sessionId !== undefined) {
    return { sql: 'SELECT seq FROM runs WHERE session_id = ?', values: [sessionId] };
  }
  if (backendId === undefined) return { sql: 'SELECT seq FROM runs', values: [] };
  return { sql: 'SELECT seq FROM runs WHERE backend_id = ?', values: [backendId] };
}

/** SQLite uses a partial index only when its condition is repeated literally. */
function statesTerm(states: readonly string[]): Term {
  const numbers = runStates.flatMap((state, index) => (states.includes(state) ? [index] : []));
  const listed = `r.state IN (${numbers.join(', ')})`;
  const isLiveOnly = !states.includes('exited');
  return {
    sql: isLiveOnly ? `r.tree_ended_at_ms IS NULL AND r.state < 3 AND ${listed}` : listed,
    values: [],
  };
}

/** A range instead of LIKE: it uses the index and has no wildcards. Ids hold nothing above `~`. */
function prefixTerm(prefix: string): Term {
  return { sql: 'r.run_id >= ? AND r.run_id < ?', values: [prefix, `${prefix}~`] };
}
