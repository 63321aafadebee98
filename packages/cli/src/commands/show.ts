/*
 * `clf show`: everything about one run, a fact per line.
 */
import { reservedLabels } from '@clawdfather/protocol';
import {
  allowedByLabel,
  shieldLabel,
  nameLabel,
  requesterLabel,
  runAsLabel,
} from '@clawdfather/supervisor/origins';
import { makeVisible } from '@clawdfather/tools/text';
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import type { Place, Run } from '../place/place.ts';
import { formatBytes } from '../render/bytes.ts';
import { formatDuration, formatInstant } from '../render/duration.ts';
import { formatUnsaved } from '../render/exit-text.ts';
import { jsonLine, runJson } from '../render/run-json.ts';
import { stateText } from '../render/run-table.ts';
import { explainStall } from '../render/stall-text.ts';
import { findRun } from '../runs/find-run.ts';
import type { showSpec } from './specs.ts';

type Fact = readonly [name: string, value: string | number | undefined];

export async function execute(call: CallOf<typeof showSpec>): Promise<ExitStatus> {
  const { io, paint, operands } = call;
  return withPlace(call, async (place) => {
    const run = await withUse(place, await findRun(place, operands.run));
    const stall = (await place.stalls([run])).get(run.runId);
    if (call.isJson) {
      await io.stdout.write(jsonLine(runJson(run, stall)));
      return codeStatus(exitOk);
    }
    const facts = [
      ...factsOf(run, stateText(run, stall)),
      ['waits', stall === undefined ? undefined : explainStall(run, stall)] as const,
      ...endOf(run),
      ...labelsOf(run),
    ].filter(([, value]) => value !== undefined);
    const width = Math.max(...facts.map(([name]) => name.length));
    for (const [name, value] of facts) {
      await io.stdout.write(`${paint.dim(name.padEnd(width))}  ${makeVisible(String(value))}\n`);
    }
    return codeStatus(exitOk);
  });
}

/* What it uses now, and whether somebody has stopped it, are seen only at its processes. */
async function withUse(place: Place, run: Run): Promise<Run> {
  if (run.treeEndedAtMs !== undefined) return run;
  const [now] = await place.list({ idPrefix: run.runId, limit: 1, withUse: true });
  return now ?? run;
}

function factsOf(run: Run, state: string): readonly Fact[] {
  const { deadlines } = run;
  return [
    ['id', run.runId],
    ['name', run.labels[nameLabel]],
    ['command', run.command],
    ['state', state],
    ['directory', run.cwd],
    ['terminal', run.mode === 'child' ? 'no' : 'yes'],
    ['pid', run.exit === undefined ? run.pid : undefined],
    ['created', formatInstant(run.createdAtMs)],
    ['started', timeText(run.startedAtMs)],
    ['last output', timeText(run.lastOutputAtMs)],
    ['time limit', limitText(deadlines.overallMs)],
    ['idle limit', limitText(deadlines.noOutputMs)],
    ['leftovers', run.leftovers],
    ['session', run.sessionId],
    ['started by', run.labels[requesterLabel] ?? run.backendId],
    ['runs as', run.labels[runAsLabel]],
    ['allowed by', run.labels[allowedByLabel]],
    ['shield', run.labels[shieldLabel]],
  ];
}

function endOf({ exit, treeEndedAtMs, use }: Run): readonly Fact[] {
  if (exit === undefined) {
    return use === undefined
      ? []
      : [
          ['cpu time', formatDuration(use.cpuMs)],
          ['memory', formatBytes(use.memoryBytes)],
          ['processes', use.processes],
          ['output', use.diskBytes === undefined ? undefined : onDisk(use.diskBytes)],
        ];
  }
  const { usage, leftovers } = exit;
  const left = leftovers.map(({ comm, pid }) => `${comm} (${pid})`).join(', ');
  return [
    ['ended', formatInstant(exit.endedAtMs)],
    ['took', limitText(exit.durationMs)],
    ['reason', exit.reason],
    ['exit code', exit.code],
    ['signal', exit.signal],
    ['ended by', exit.actor],
    ['detail', exit.detail],
    [
      'cpu time',
      usage === undefined ? undefined : formatDuration((usage.userUs + usage.systemUs) / 1_000),
    ],
    ['memory', usage === undefined ? undefined : formatBytes(usage.maxRssBytes)],
    ['not saved', formatUnsaved(exit)],
    ['left running', treeEndedAtMs === undefined && left !== '' ? left : undefined],
  ];
}

/* Of the gateway and the tools. What of them is worth a line has one; all of them are in the JSON. */
const ownLabels: ReadonlySet<string> = new Set(reservedLabels);

function labelsOf({ labels }: Run): readonly Fact[] {
  return Object.entries(labels)
    .filter(([name]) => !ownLabels.has(name))
    .map(([name, value]) => [`label ${makeVisible(name)}`, value]);
}

function onDisk(bytes: number): string {
  return `${formatBytes(bytes)} on the disk`;
}

function timeText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatInstant(ms);
}

function limitText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatDuration(ms);
}
