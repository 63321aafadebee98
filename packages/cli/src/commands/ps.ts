/*
 * `clf ps`: the runs of this host's state directory, newest last, as a table,
 * as ids, or as JSON lines.
 */
import type {
  RunFilter,
  RunRecord,
  RunState,
  Supervisor,
  TerminationReason,
} from '@clawdfather/supervisor';
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { formatRunTable } from '../render/run-table.ts';
import { jsonLine, runJson } from '../render/run-json.ts';
import { readTreeUse } from '../runs/process-use.ts';
import type { RunCriterion } from '../runs/run-criterion.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { psSpec } from './specs.ts';

const liveStates: readonly RunState[] = ['starting', 'running', 'exiting'];
/* Of finished runs, of which there may be very many; what lives is listed to the last one. */
const rowsDefault = 100;
const rowsMax = 100_000;
/* The newest, and as many as are kept. */
const finishedLookedAt = 1_000;

export async function execute(call: CallOf<typeof psSpec>): Promise<ExitStatus> {
  const { flags, io } = call;
  const wanted = wantedRuns(flags.filter, flags.all);
  return withSupervisor(call, async (supervisor) => {
    const { records, isCut } = listRuns(supervisor, wanted, flags.limit);
    if (flags.quiet && !call.isJson) {
      for (const record of records) await io.stdout.write(`${record.runId}\n`);
      if (isCut) await io.stderr.write(cutText(records.length));
      return codeStatus(exitOk);
    }
    const stalls = await supervisor.stalls(records);
    if (call.isJson) {
      for (const record of records) {
        await io.stdout.write(jsonLine(runJson(record, stalls.get(record.runId))));
      }
      return codeStatus(exitOk);
    }
    if (records.length === 0) {
      const finished = supervisor.list({ states: ['exited'], limit: rowsDefault }).length;
      await io.stdout.write(emptyText(flags.filter.length > 0, finished));
      return codeStatus(exitOk);
    }
    await io.stdout.write(
      formatRunTable(records, {
        paint: call.paint,
        nowMs: call.clock.wallMs(),
        columnsMax: io.columns(),
        useOf: readTreeUse,
        stallOf: ({ runId }) => stalls.get(runId),
      }),
    );
    if (isCut) await io.stderr.write(cutText(records.length));
    return codeStatus(exitOk);
  });
}

/* Oldest first. Cut: there are more than were asked for, and the oldest were left out. */
export function listRuns(
  supervisor: Pick<Supervisor, 'list'>,
  wanted: Wanted,
  limit = wanted.isLiving ? rowsMax : rowsDefault,
): { readonly records: readonly RunRecord[]; readonly isCut: boolean } {
  const lookedAt = wanted.isSifted ? rowsMax : limit + 1;
  const found = supervisor.list({ ...wanted.filter, limit: lookedAt }).filter(wanted.isMatch);
  const records = [
    ...found.slice(0, limit),
    ...(wanted.isLiving ? withLeftovers(supervisor, wanted.filter) : []),
  ].toSorted((left, right) => left.createdAtMs - right.createdAtMs);
  return { records, isCut: found.length > limit };
}

/* T4: a run may be over and something of it alive; that is running, too. */
function withLeftovers(supervisor: Pick<Supervisor, 'list'>, filter: RunFilter): RunRecord[] {
  return supervisor
    .list({ ...filter, states: ['exited'], limit: finishedLookedAt })
    .filter((record) => record.treeEndedAtMs === undefined);
}

interface Wanted {
  readonly filter: RunFilter;
  /* Whatever lives: no states, reasons or finished runs were asked for. */
  readonly isLiving: boolean;
  /* What the registry cannot be asked; `isSifted` when that leaves out anything. */
  readonly isSifted: boolean;
  readonly isMatch: (record: RunRecord) => boolean;
}

export function wantedRuns(criteria: readonly RunCriterion[], isAll: boolean): Wanted {
  const labels: Record<string, string> = {};
  const states: RunState[] = [];
  const reasons: string[] = [];
  let filter: RunFilter = {};
  for (const criterion of criteria) {
    switch (criterion.by) {
      case 'state':
        states.push(criterion.state);
        break;
      case 'reason':
        reasons.push(criterion.value);
        break;
      case 'session':
        filter = { ...filter, sessionId: criterion.value };
        break;
      case 'backend':
        filter = { ...filter, backendId: criterion.value };
        break;
      case 'label':
        labels[criterion.label] = criterion.value;
        break;
    }
  }
  const isEverything = isAll || reasons.length > 0;
  return {
    isLiving: !isEverything && states.length === 0,
    filter: {
      ...filter,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(states.length > 0 ? { states } : isEverything ? {} : { states: liveStates }),
    },
    isSifted: reasons.length > 0,
    isMatch: (record) => reasons.length === 0 || hasReason(record, reasons),
  };
}

function hasReason(record: RunRecord, reasons: readonly string[]): boolean {
  const reason: TerminationReason | undefined = record.exit?.reason;
  return reason !== undefined && reasons.includes(reason);
}

function cutText(shown: number): string {
  return `clf: there are more than these ${shown}; ask for them with --limit N\n`;
}

function emptyText(isFiltered: boolean, finished: number): string {
  if (isFiltered) return 'No run matches. All of them: clf ps -a\n';
  if (finished === 0) return 'No runs yet. Start one: clf run -d -- sleep 60\n';
  const many = finished >= rowsDefault ? `${rowsDefault} or more` : String(finished);
  return `Nothing is running. Finished: ${many}, see clf ps -a\n`;
}
