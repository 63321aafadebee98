/*
 * Everything about one run as facts, a name and a value each: what `clf show` prints. A fact without a value has no line.
 */
import { reservedLabels } from '@clawdfather/protocol';
import type { ProcessNote, RunExit, Stall } from '@clawdfather/supervisor';
import {
  allowedByLabel,
  directoryOf,
  hostNameOf,
  nameLabel,
  requesterLabel,
  runAsLabel,
  shieldLabel,
} from '@clawdfather/supervisor/origins';
import { makeVisible } from '@clawdfather/tools/text';
import type { Run, RunDetails } from '../place/place.ts';
import { shortId } from '../runs/find-run.ts';
import { formatBytes } from './bytes.ts';
import { formatDuration, formatInstant } from './duration.ts';
import { formatLeftoversEnd, formatUnsaved, hasLeft } from './exit-text.ts';
import { isOnHost, stateText } from './run-table.ts';
import { explainStall } from './stall-text.ts';

export type Fact = readonly [name: string, value: string | number | undefined];

export interface ShownRun {
  readonly run: Run;
  readonly details: RunDetails;
  readonly stall: Stall | undefined;
  /* What follows `clf COMMAND` to mean the same place. */
  readonly flag: string;
}

export function factsOf(shown: ShownRun): readonly Fact[] {
  const { exit } = shown.run;
  const end = exit === undefined ? livingFacts(shown) : endFacts(shown.run, exit);
  const all = [...startFacts(shown), ...limitFacts(shown), ...end, ...labelFacts(shown.run)];
  return all.filter(([, value]) => value !== undefined);
}

function startFacts({ run, details, stall, flag }: ShownRun): readonly Fact[] {
  const state = stateText(run, stall);
  const how = `clf kill${flag} -s CONT ${shortId(run)}`;
  const isAlive = run.treeEndedAtMs === undefined;
  return [
    ['id', run.runId],
    ['name', run.labels[nameLabel]],
    ['command', run.command],
    ['state', state],
    ['continue it', state === 'stopped' ? how : undefined],
    ['waits', stall === undefined ? undefined : explainStall(run, stall)],
    ['host', isOnHost(run) ? hostNameOf(run.labels) : undefined],
    ['directory', directoryOf(run)],
    ['terminal', run.mode === 'child' ? 'no' : 'yes'],
    ['pid', run.exit === undefined && !isOnHost(run) ? run.pid : undefined],
    ['shim', isAlive && run.state !== 'starting' ? details.shimPid : undefined],
    ['created', formatInstant(run.createdAtMs)],
    ['started', timeText(run.startedAtMs)],
    ['last output', timeText(details.lastOutputAtMs)],
    ['journal', journalText(details)],
  ];
}

function limitFacts({ run, details }: ShownRun): readonly Fact[] {
  const { overallMs, noOutputMs } = run.deadlines;
  return [
    ['time limit', spanText(overallMs)],
    ['idle limit', spanText(noOutputMs)],
    ['limits', limitsText(details.limits)],
    ['grace', spanText(details.graceMs)],
    ['leftovers', run.leftovers],
    ['owner loss', run.ownerLoss],
    ['session', run.sessionId],
    ['started by', run.labels[requesterLabel] ?? run.backendId],
    ['runs as', run.labels[runAsLabel]],
    ['allowed by', run.labels[allowedByLabel]],
    ['shield', run.labels[shieldLabel]],
  ];
}

function livingFacts({ run }: ShownRun): readonly Fact[] {
  const { use } = run;
  if (use === undefined) return [];
  const output: Fact = ['output', use.diskBytes === undefined ? undefined : onDisk(use.diskBytes)];
  if (isOnHost(run)) return [output];
  return [
    ['cpu time', formatDuration(use.cpuMs)],
    ['memory', formatBytes(use.memoryBytes)],
    ['processes', use.processes],
    output,
  ];
}

function onDisk(bytes: number): string {
  return `${formatBytes(bytes)} on the disk`;
}

function endFacts(run: Run, exit: RunExit): readonly Fact[] {
  const { treeEndedAtMs } = run;
  const { leftovers, survivors } = exit;
  const usage = isOnHost(run) ? undefined : exit.usage;
  const left = treeEndedAtMs === undefined ? namesOf(leftovers) : undefined;
  return [
    ['ended', endedText(exit)],
    ['took', spanText(exit.durationMs)],
    ['reason', exit.reason],
    ['exit code', exit.code],
    ['signal', exit.signal === undefined ? undefined : signalText(exit)],
    ['ended by', exit.actor],
    ['detail', exit.detail],
    ['host cause', exit.hostCause],
    ['cpu time', usage && formatDuration((usage.userUs + usage.systemUs) / 1_000)],
    ['memory', usage && formatBytes(usage.maxRssBytes)],
    ['not saved', formatUnsaved(exit)],
    ['left running', left],
    ['left behind', left === undefined && hasLeft(exit) ? namesOf(leftovers) : undefined],
    ['they ended', theirEnd(exit)],
    ['not ended', namesOf(survivors)],
  ];
}

/* Nobody saw the end of a run whose shim was killed, only that it is over. */
function endedText({ endedAtMs, lastSeenAtMs }: RunExit): string {
  const at = formatInstant(endedAtMs);
  return lastSeenAtMs === undefined
    ? at
    : `found dead at ${at}, last sign of life ${formatInstant(lastSeenAtMs)}`;
}

function signalText({ signal, coreDumped }: RunExit): string {
  return `${signal}${coreDumped ? ' (core dumped)' : ''}`;
}

/* When what outlived the command ended, and by whom. */
function theirEnd(exit: RunExit): string | undefined {
  const how = formatLeftoversEnd(exit);
  if (how === undefined || exit.treeEnd === undefined) return undefined;
  const { actor, endedAtMs } = exit.treeEnd;
  return `${formatInstant(endedAtMs)}${actor === undefined ? '' : ` by ${actor}`}: ${how}`;
}

function namesOf(processes: readonly ProcessNote[]): string | undefined {
  if (processes.length === 0) return undefined;
  return processes.map(({ comm, pid }) => `${comm} (${pid})`).join(', ');
}

/* Its frames have headers, so it is longer than what was said. */
function journalText({ outputBytes, droppedBytes = 0 }: RunDetails): string | undefined {
  if (outputBytes === undefined) return undefined;
  const dropped = droppedBytes === 0 ? '' : `, the first ${formatBytes(droppedBytes)} dropped`;
  return `${formatBytes(outputBytes)}${dropped}`;
}

function limitsText(limits: RunDetails['limits'] = {}): string | undefined {
  const { cpuSeconds, fileBytes, memoryBytes, processes, openFiles } = limits;
  const words = [
    cpuSeconds && `cpu ${formatDuration(cpuSeconds * 1_000)}`,
    fileBytes && `file size ${formatBytes(fileBytes)}`,
    memoryBytes && `memory ${formatBytes(memoryBytes)}`,
    processes && `${processes} processes`,
    openFiles && `${openFiles} open files`,
  ].filter((word) => typeof word === 'string');
  return words.length === 0 ? undefined : words.join(', ');
}

/* Of the gateway and the tools. What of them is worth a line has one; all of them are in the JSON. */
const ownLabels: ReadonlySet<string> = new Set(reservedLabels);

function labelFacts({ labels }: Run): readonly Fact[] {
  return Object.entries(labels)
    .filter(([name]) => !ownLabels.has(name))
    .map(([name, value]) => [`label ${makeVisible(name)}`, value]);
}

function timeText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatInstant(ms);
}

function spanText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatDuration(ms);
}
