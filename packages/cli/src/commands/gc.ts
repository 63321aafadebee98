/*
 * `clf gc`: finished runs beyond what is kept go. Each that goes is told with the reason, with `--explain` each that stays too.
 */
import type { GarbageReport, RetentionDecision } from '@clawdfather/supervisor';
import type { CallOf, CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { formatBytes } from '../render/bytes.ts';
import { formatDuration } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import { shortId } from '../runs/find-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { gcSpec } from './specs.ts';

export async function execute(context: CallOf<typeof gcSpec>): Promise<ExitStatus> {
  const { flags, io } = context;
  const isDryRun = flags.dryRun;
  const report = await withSupervisor(context, (supervisor) => supervisor.gc({ dryRun: isDryRun }));
  if (context.isJson) {
    await io.stdout.write(jsonLine(reportJson(report, isDryRun)));
    return codeStatus(exitOk);
  }
  const told = report.decisions.filter(
    ({ runId, decision }) =>
      flags.explain || (decision === 'remove' && !report.spared.includes(runId)),
  );
  if (told.length > 0) await io.stdout.write(explain(context, told));
  await io.stdout.write(`${summary(report, isDryRun)}\n`);
  return codeStatus(exitOk);
}

function explain(context: CommandContext, decisions: readonly RetentionDecision[]): string {
  const { paint, io } = context;
  return formatTable(
    {
      headers: ['ID', 'DECISION', 'ENDED', 'OUTPUT', 'BECAUSE'],
      paintHeader: paint.dim,
      columnsMax: io.columns(),
      dispensable: ['OUTPUT', 'ENDED'],
    },
    decisions.map((decision) => [
      { text: shortId(decision) },
      {
        text: decision.decision,
        paint: decision.decision === 'remove' ? paint.warn : paint.good,
      },
      { text: ageText(decision.evidence['ageMs']) },
      { text: formatBytes(Number(decision.evidence['journalBytes'] ?? 0)) },
      { text: decision.why },
    ]),
  );
}

function ageText(ageMs: unknown): string {
  return typeof ageMs === 'number' ? `${formatDuration(ageMs)} ago` : '-';
}

function summary(report: GarbageReport, isDryRun: boolean): string {
  const { runs, bytes } = report.removed;
  const spared = report.spared.length;
  const number = runs - spared;
  const what = `${number} run${number === 1 ? '' : 's'} (${formatBytes(bytes)} of output)`;
  const rest =
    report.survivors.length === 0
      ? ''
      : ` ${report.survivors.length} finished, but left living processes: clf ps -a, clf kill.`;
  if (runs === 0) return `Nothing to remove.${rest}`;
  return isDryRun ? `Would remove ${what}.${rest}` : `Removed ${what}.${rest}`;
}

function reportJson(report: GarbageReport, isDryRun: boolean) {
  return {
    dryRun: isDryRun,
    removed: { runs: report.removed.runs - report.spared.length, bytes: report.removed.bytes },
    spared: report.spared,
    survivors: report.survivors,
    decisions: report.decisions.map(({ runId, decision, why, evidence }) => ({
      id: runId,
      decision,
      why,
      evidence,
    })),
  };
}
