/*
 * `clf ps`: runs, newest last, as a table, as ids, or as JSON lines.
 */
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import type { Place } from '../place/place.ts';
import { flagsOf, placeText } from '../render/place-text.ts';
import { jsonLine, runJson } from '../render/run-json.ts';
import { formatRunTable } from '../render/run-table.ts';
import { listRuns, rowsDefault, wantedRuns } from '../runs/wanted-runs.ts';
import type { psSpec } from './specs.ts';

export async function execute(call: CallOf<typeof psSpec>): Promise<ExitStatus> {
  const { flags, io } = call;
  const wanted = wantedRuns(flags.filter, flags.all);
  // Only the table shows what they use.
  const query = { ...wanted.query, withUse: !call.isJson && !flags.quiet };
  return withPlace(call, async (place) => {
    const { runs, isCut } = await listRuns(place, { ...wanted, query }, flags.limit);
    const sayCut = async (): Promise<void> => {
      if (isCut) await io.stderr.write(cutText(runs.length));
    };
    if (flags.quiet && !call.isJson) {
      for (const { runId } of runs) await io.stdout.write(`${runId}\n`);
      await sayCut();
      return codeStatus(exitOk);
    }
    const stalls = await place.stalls(runs);
    if (call.isJson) {
      for (const run of runs)
        await io.stdout.write(jsonLine(runJson(run, { stall: stalls.get(run.runId) })));
      return codeStatus(exitOk);
    }
    const waiting = waitingText(flags.filter.length > 0 ? 0 : await place.held?.count(), place);
    if (runs.length === 0) {
      await io.stdout.write(await emptyText(place, flags.filter.length > 0));
      await io.stdout.write(call.paint.dim(waiting));
      return codeStatus(exitOk);
    }
    await io.stdout.write(
      formatRunTable(runs, {
        paint: call.paint,
        nowMs: call.clock.wallMs(),
        columnsMax: io.columns(),
        stallOf: ({ runId }) => stalls.get(runId),
      }),
    );
    await io.stdout.write(call.paint.dim(waiting));
    await sayCut();
    return codeStatus(exitOk);
  });
}

/* They are no runs yet; whoever waits for one looks here first. */
function waitingText(count: number | undefined, { flag }: Place): string {
  if (count === undefined || count === 0) return '';
  const what = count === 1 ? 'A request waits' : `${count} requests wait`;
  return `${what} for your decision: clf approvals${flag}\n`;
}

function cutText(shown: number): string {
  return `clf: there are more than these ${shown}; ask for them with --limit N\n`;
}

async function emptyText(place: Place, isFiltered: boolean): Promise<string> {
  const flag = flagsOf(place);
  const where = placeText(place);
  if (isFiltered) return `No run${where} matches. All of them: clf ps${flag} -a\n`;
  const finished = (await place.list({ states: ['exited'], limit: rowsDefault })).length;
  const lost = finished > 0 ? 0 : (await place.unrecorded()).length;
  if (lost > 0) {
    const what = lost === 1 ? 'is 1 directory of a run' : `are ${lost} directories of runs`;
    return `No run is on record, but there ${what}. Record them again: clf doctor --rebuild\n`;
  }
  if (finished === 0) return `No runs${where} yet. Start one: clf run${flag} -d -- sleep 60\n`;
  const many = finished >= rowsDefault ? `${rowsDefault} or more` : String(finished);
  return `Nothing is running${where}. Finished: ${many}, see clf ps${flag} -a\n`;
}
