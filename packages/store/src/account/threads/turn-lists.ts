/*
 * Turns of all threads of an account, for lists: newest first, by what became of them; and the turn that a run has to do with.
 */
import type { TurnRow } from '@clawdfather/agents';
import type { RunId } from '@clawdfather/supervisor';
import { sql } from 'kysely';
import type { AccountContext } from '../../context.ts';
import type { Database } from '../../engine.ts';
import { toRecord } from '../../schema/record.ts';
import { createSelect } from '../../select.ts';
import { fromTurns } from './selects.ts';

type Status = TurnRow['status'];

export interface TurnFilter {
  /** Absent: of all threads but those that are archived. */
  readonly threadId?: string | undefined;
  /** Absent: any. */
  readonly statuses?: readonly [Status] | readonly [Status, Status] | undefined;
  /** Of its result. */
  readonly code?: string | undefined;
  readonly limit: number;
}

export type TurnOfThread = TurnRow & { readonly threadId: string };

interface TurnsWanted {
  readonly accountId: string;
  readonly status: Status | undefined;
  readonly orStatus: Status | undefined;
  readonly codeField: string | undefined;
  readonly limit: number;
}

function turnsWanted(db: Database, { accountId, status, orStatus, codeField }: TurnsWanted) {
  let turns = fromTurns(db, accountId).select('turns.thread_id');
  if (status !== undefined && orStatus !== undefined) {
    turns = turns.where('turns.status', 'in', [status, orStatus]);
  } else if (status !== undefined) turns = turns.where('turns.status', '=', status);
  if (codeField === undefined) return turns;
  const without = sql`replace(turns.result_json, ${codeField}, '')`;
  return turns.where(without, '<>', sql.ref('turns.result_json'));
}

function ofThreadsInUse(db: Database, wanted: TurnsWanted) {
  return turnsWanted(db, wanted).where((eb) =>
    eb.exists(
      eb
        .selectFrom('threads')
        .select(eb.lit(1).as('one'))
        .where('threads.account_id', '=', wanted.accountId)
        .whereRef('threads.id', '=', 'turns.thread_id')
        .where('threads.status', '!=', sql.lit('archived')),
    ),
  );
}

/* Within a thread the place is the order. */
export const selectTurnsOfThread = createSelect(
  (db, { threadId, ...wanted }: TurnsWanted & { readonly threadId: string }) =>
    turnsWanted(db, wanted)
      .where('turns.thread_id', '=', threadId)
      .orderBy('turns.place', 'desc')
      .limit(wanted.limit),
);

type OfStatus = Omit<TurnsWanted, 'orStatus'> & { readonly status: Status };

function newestOfStatus(db: Database, wanted: OfStatus) {
  return ofThreadsInUse(db, { ...wanted, orStatus: undefined })
    .orderBy('turns.queued_at_ms', 'desc')
    .orderBy('turns.place', 'desc')
    .orderBy('turns.id', 'desc')
    .limit(wanted.limit);
}

/*
 * Of one status at a time, because that is how they are indexed: whichever is asked for, the newest few are read. Open turns and those that have
 * ended have an index of their own: one of all turns would be taken by SQLite for open ones, too, here and elsewhere, and it would read all that
 * have ended to find them.
 */
export const selectOpenNewest = createSelect((db, wanted: OfStatus) =>
  newestOfStatus(db, wanted).where('turns.ended_at_ms', 'is', null),
);

export const selectEndedNewest = createSelect((db, wanted: OfStatus) =>
  newestOfStatus(db, wanted).where('turns.ended_at_ms', 'is not', null),
);

export const selectTurnOfRun = createSelect(
  (db, { accountId, runId }: { readonly accountId: string; readonly runId: RunId }) =>
    fromTurns(db, accountId)
      .select('turns.thread_id')
      .where('turns.run_id', '=', runId)
      .orderBy(sql`case when turns.status = 'running' then 0 else 1 end`)
      .orderBy('turns.queued_at_ms', 'desc')
      .orderBy('turns.place', 'desc')
      .limit(1),
);

export interface TurnLists {
  /** Newest first. */
  newestTurns(filter: TurnFilter): Promise<readonly TurnOfThread[]>;
  /** The one that runs, else the newest; also when the record of the run is gone. */
  turnOfRun(runId: RunId): Promise<TurnOfThread | undefined>;
}

export function createTurnLists({ runner, accountId }: AccountContext): TurnLists {
  return {
    newestTurns: async ({ threadId, statuses = [], code, limit }) => {
      const codeField = code === undefined ? undefined : codeFieldOf(code);
      const [status, orStatus] = statuses;
      const wanted = { accountId, status, orStatus, codeField, limit };
      if (threadId !== undefined) {
        return (await runner.select(selectTurnsOfThread, { ...wanted, threadId })).map(toRecord);
      }
      // In the order of a turn's life: one that goes on meanwhile is found twice, and not missed.
      const found = new Map<string, TurnOfThread>();
      const isWanted = (one: Status): boolean => statuses.length === 0 || statuses.includes(one);
      for (const one of statusesOf(code).filter(isWanted)) {
        const select = openStatuses.includes(one) ? selectOpenNewest : selectEndedNewest;
        const rows = await runner.select(select, { accountId, status: one, codeField, limit });
        for (const turn of rows.map(toRecord)) found.set(turn.id, turn);
      }
      return newestOf([...found.values()], limit);
    },
    turnOfRun: async (runId) =>
      (await runner.select(selectTurnOfRun, { accountId, runId })).map(toRecord)[0],
  };
}

const openStatuses: readonly Status[] = ['queued', 'running'];
const unsuccessful: readonly Status[] = ['failed', 'cancelled', 'interrupted'];

/* Which ones can have this code. Most turns are completed, and are not looked through for what none of them has. */
function statusesOf(code: string | undefined): readonly Status[] {
  if (code === undefined) return [...openStatuses, 'completed', ...unsuccessful];
  return code === 'success' ? ['completed'] : unsuccessful;
}

function newestOf(turns: readonly TurnOfThread[], limit: number): readonly TurnOfThread[] {
  return turns.toSorted((one, other) => other.queuedAtMs - one.queuedAtMs).slice(0, limit);
}

/*
 * As it is in the text of a result. No text within it can hold these characters, because its quotes are escaped there. The two databases have
 * no function for the inside of JSON in common (schema/json-text.ts).
 */
function codeFieldOf(code: string): string {
  return `"code":${JSON.stringify(code)}`;
}
