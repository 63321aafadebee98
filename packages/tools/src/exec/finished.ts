/*
 * How a run ended, as a result: `completed` for what a command decided itself, `failed` for what happened to it.
 *
 * 126 and 127 are what shells say of a command they could not run. A time limit is never shown with an exit code: a
 * program that ends tidily when it is asked to would otherwise look like a success.
 */
import { constants } from 'node:os';
import type { ExecResult } from '@clawdfather/protocol';
import type { RunExit, RunRecord } from '@clawdfather/supervisor';
import {
  directoryOf,
  readsLabel,
  shieldLabel,
  terminalLabel,
} from '@clawdfather/supervisor/origins';
import type { CollectedOutput } from './output-collector.ts';
import { formatGone } from '../output/gone-text.ts';

export type FinishedResult = Extract<ExecResult, { status: 'completed' | 'failed' }>;
type Failed = Extract<ExecResult, { status: 'failed' }>;

/* In a sentence. */
const namedMax = 10;

/* What a result says of a run beside its end: from the registry, or from the request that started it. */
export type RunFacts = Pick<RunRecord, 'runId' | 'cwd' | 'labels' | 'deadlines' | 'leftovers'> &
  Partial<Pick<RunRecord, 'treeEndedAtMs'>>;

export function finishedResult(
  record: RunFacts,
  exit: RunExit,
  collected: CollectedOutput,
): FinishedResult {
  const { notes, ...output } = collected;
  const common = {
    runId: record.runId,
    ...output,
    leftovers: leftoversOf(record, exit).map(({ pid, comm }) => ({ pid, name: comm })),
    notes: [...notesOf(record), ...endNotes(record, exit, output.output), ...notes],
  };
  const { code } = exit;
  const isLost = exit.hostCause !== undefined;
  if (exit.reason === 'exit' && !isLost && code !== undefined && code !== 126 && code !== 127) {
    return {
      status: 'completed',
      exitCode: code,
      reason: exit.reason,
      durationMs: exit.durationMs ?? 0,
      cwd: directoryOf(record),
      ...common,
    };
  }
  const isTimeout = exit.reason === 'overall-timeout' || exit.reason === 'no-output-timeout';
  return {
    status: 'failed',
    kind: kindOf(exit),
    message: messageOf(record, exit),
    ...(code === undefined || isTimeout ? {} : { exitCode: code }),
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    ...(exit.durationMs === undefined ? {} : { durationMs: exit.durationMs }),
    ...common,
  };
}

/* What still lives: all that it left if that is kept, else what could not be ended. */
function leftoversOf(
  { leftovers, treeEndedAtMs }: RunFacts,
  { reason, leftovers: left, survivors }: RunExit,
): RunExit['leftovers'] {
  if (treeEndedAtMs !== undefined) return [];
  const isByItself = reason === 'exit' || reason === 'signal';
  return isByItself && leftovers === 'keep' ? left : survivors;
}

/* Written at the start, so that later readers know too: the starter list alone let it run. */
export const confinedLabel = { [readsLabel]: 'working-tree' } as const;

/* The confinement may be why it failed; a program does not say who refused it, only that somebody did. */
const refusal = /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i;
const confinedNote =
  'it ran unasked, so it could read only the working tree and the system; to read elsewhere, ask a person: exec with ask "always"';

function endNotes(record: RunFacts, exit: RunExit, output: string): readonly string[] {
  const isConfined = record.labels[readsLabel] === confinedLabel[readsLabel];
  const isRefused = exit.reason === 'exit' && exit.code !== 0 && refusal.test(output);
  return [...(isConfined && isRefused ? [confinedNote] : []), ...lossNotes(record, exit)];
}

function lossNotes(record: RunFacts, exit: RunExit): readonly string[] {
  const lost =
    exit.undrainedBytes === 0 ? [] : [`${exit.undrainedBytes} bytes of output could not be saved`];
  const isEnded = record.leftovers === 'end' && exit.leftovers.length > 0;
  return isEnded
    ? [`it left processes, which were ended: ${named(exit.leftovers)}`, ...lost]
    : lost;
}

function named(processes: RunExit['leftovers']): string {
  const more = processes.length - namedMax;
  const names = processes.slice(0, namedMax).map(({ pid, comm }) => `${comm} (pid ${pid})`);
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/* The label's word for a run on pipes that asked for a terminal. */
export const noTerminal = 'unavailable';

/* What later readers must know too; the label is written at the start. */
export function notesOf({ labels }: Pick<RunRecord, 'labels'>): readonly string[] {
  return [
    ...(labels[terminalLabel] === noTerminal
      ? ['no terminal could be had, so it runs on pipes']
      : []),
    ...(labels[shieldLabel] === 'partial'
      ? ['its shield is partial: this machine cannot hide everything from it']
      : []),
    ...(labels[shieldLabel] === 'none' ? ['it has no shield: this machine offers none'] : []),
  ];
}

const { ENOENT, EACCES, EPERM, ENOEXEC, EISDIR, ENOTDIR } = constants.errno;

function kindOf({ reason, code, failure, hostCause }: RunExit): Failed['kind'] {
  if (reason === 'exit' && hostCause !== undefined) return 'host-unreachable';
  if (reason === 'exit') return code === 127 ? 'command-not-found' : 'not-executable';
  if (reason === 'spawn-error' && failure?.stage === 'exec') {
    if (failure.errno === ENOENT || failure.errno === ENOTDIR) return 'command-not-found';
    if ([EACCES, EPERM, ENOEXEC, EISDIR].includes(failure.errno)) return 'not-executable';
  }
  return reason;
}

function messageOf(record: RunFacts, exit: RunExit): string {
  const { reason, signal, actor, detail } = exit;
  const by = actor === undefined ? '' : ` by ${actor}`;
  const why = detail === undefined ? '' : `: ${detail}`;
  switch (reason) {
    case 'exit':
      return exitMessage(exit);
    case 'signal':
      return `killed by ${signal ?? 'a signal'}${exit.coreDumped ? ' (core dumped)' : ''}`;
    case 'manual-cancel':
      return `cancelled${by}${why}`;
    case 'overall-timeout':
      return `ended after its time limit of ${seconds(record.deadlines.overallMs)}`;
    case 'no-output-timeout':
      return `ended after ${seconds(record.deadlines.noOutputMs)} without output`;
    case 'spawn-error':
      return startFailure(kindOf(exit), why);
    case 'ownership-escape':
      return `it left processes, which were ended (leftovers: fail): ${named(exit.leftovers)}`;
    case 'owner-lost':
      return 'it was ended because its owner was lost';
    case 'out-of-memory':
    case 'host-rebooted':
    case 'container-restarted':
    case 'reconciled-stale':
    case 'unknown':
      return formatGone(reason, why);
  }
}

function exitMessage({ code, detail, hostCause }: RunExit): string {
  if (hostCause !== undefined) return `${detail ?? 'its host was lost'} (${hostCause})`;
  return code === 127
    ? 'command not found (exit code 127)'
    : 'found, but it cannot be executed (exit code 126)';
}

function startFailure(kind: Failed['kind'], why: string): string {
  if (kind === 'command-not-found')
    return `the program was not found${why} (a name is searched in PATH, a path taken as it is)`;
  if (kind === 'not-executable') return `the program was found, but it cannot be executed${why}`;
  return `it could not be started${why}`;
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? 'unknown length' : `${ms / 1_000} s`;
}
