/*
 * How a run ended, in words: short for `ps`, a sentence for `run` and `wait`.
 */
import { assertNever } from '@clawdfather/kit';
import type { RunExit, RunRecord } from '@clawdfather/supervisor';
import { formatBytes } from './bytes.ts';
import { formatDuration } from './duration.ts';
import { formatGone, makeVisible } from '@clawdfather/tools/text';

/* As much of an exit as a word needs. */
export interface ShortExit {
  readonly reason: RunExit['reason'];
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
  readonly failure?: RunExit['failure'];
}

/* The words for ends that say neither a code nor a signal. People type them again: `clf ps -f state=timeout`. */
export const endWords = {
  'overall-timeout': 'timeout',
  'no-output-timeout': 'idle timeout',
  'manual-cancel': 'cancelled',
  'spawn-error': 'not started',
  'ownership-escape': 'left processes',
  'owner-lost': 'owner lost',
  'out-of-memory': 'out of memory',
  'host-rebooted': 'host rebooted',
  'container-restarted': 'container gone',
  // Found later, or noticed at once: its shim died and nobody saw the end.
  'reconciled-stale': 'shim died',
  unknown: 'shim died',
} as const satisfies Readonly<Record<Exclude<RunExit['reason'], 'exit' | 'signal'>, string>>;

/* For a column: `ok`, `exit 3`, `SIGSEGV`, `timeout`, `cancelled`. */
export function formatExitShort(exit: ShortExit): string {
  switch (exit.reason) {
    case 'exit':
      return exit.code === 0 ? 'ok' : `exit ${exit.code ?? '?'}`;
    case 'signal':
      return exit.signal ?? 'signal';
    case 'reconciled-stale':
      // Its owner died before it had a shim (S1).
      return exit.failure === undefined ? endWords[exit.reason] : endWords['spawn-error'];
    default:
      // A gateway may be newer than we are: a reason that we do not know is shown as it is.
      return endWords[exit.reason] ?? makeVisible(exit.reason);
  }
}

/* J4: what it said last was never written. Undefined when nothing was lost. */
export function formatUnsaved({
  undrainedBytes,
}: Pick<RunExit, 'undrainedBytes'>): string | undefined {
  if (undrainedBytes === 0) return undefined;
  return `the last ${formatBytes(undrainedBytes)} of its output were never saved: the disk did not take them`;
}

/* Undefined when there is nothing a person would want to be told: it ended by itself, and all it said is there. */
export function formatExitNotice(
  exit: RunExit,
  deadlines: RunRecord['deadlines'],
): string | undefined {
  const unsaved = formatUnsaved(exit);
  const cause = formatCause(exit, deadlines);
  if (unsaved === undefined) return cause;
  return `${cause ?? 'ended'}; ${unsaved}`;
}

function formatCause(exit: RunExit, deadlines: RunRecord['deadlines']): string | undefined {
  const by = exit.actor === undefined ? '' : ` by ${makeVisible(exit.actor)}`;
  const why = exit.detail === undefined ? '' : `: ${makeVisible(exit.detail)}`;
  switch (exit.reason) {
    case 'exit':
      return exit.hostCause === undefined
        ? undefined
        : `lost${why} (${makeVisible(exit.hostCause)})`;
    case 'signal':
      return formatSignal(exit);
    case 'overall-timeout':
      return `ended after its time limit of ${limitText(deadlines.overallMs)}`;
    case 'no-output-timeout':
      return `ended after ${limitText(deadlines.noOutputMs)} without output`;
    case 'manual-cancel':
      return `cancelled${by}${why}`;
    case 'spawn-error':
      return `could not be started${why}`;
    case 'ownership-escape':
      return `left processes running, which were ended (--leftovers fail)`;
    case 'owner-lost':
      return `ended because its owner was lost (--owner-loss kill)`;
    case 'out-of-memory':
    case 'host-rebooted':
    case 'container-restarted':
    case 'reconciled-stale':
    case 'unknown':
      return formatGone(exit.reason, why);
    default:
      return assertNever(exit.reason);
  }
}

function formatSignal({ signal = 'a signal', coreDumped, actor }: RunExit): string {
  const killed = `killed by ${signal}${coreDumped ? ' (core dumped)' : ''}`;
  if (actor !== undefined) return `${killed}, sent by ${makeVisible(actor)}`;
  return `${killed}${limitSignals[signal] ?? ''}`;
}

/* The kernel sends these at a limit, whoever has set it. */
const limitSignals: Readonly<Record<string, string>> = {
  SIGXCPU: ': its limit of processor time was reached (--limit-cpu, ulimit -t)',
  SIGXFSZ: ': its limit of the size of a file was reached (--limit-file-size, ulimit -f)',
};

/* What lives for a moment longer than the command of a run that is being ended was not left by it. */
export function hasLeft({ reason, leftovers }: RunExit): boolean {
  const isLeft = reason === 'exit' || reason === 'signal' || reason === 'ownership-escape';
  return isLeft && leftovers.length > 0;
}

/* Of processes that lived on after the command, once they are gone: `2 left processes ended`. */
export function formatLeftoversEnd(exit: RunExit): string | undefined {
  const { treeEnd } = exit;
  if (!hasLeft(exit) || treeEnd === undefined) return undefined;
  const ended = treeEnd.killed.pid;
  if (ended === 0) return 'what it left had ended by itself';
  return ended === 1 ? '1 left process ended' : `${ended} left processes ended`;
}

/* As `formatExitNotice`, and for an end that needs no notice too. */
export function formatEnd(exit: RunExit, deadlines: RunRecord['deadlines']): string {
  return formatExitNotice(exit, deadlines) ?? `ended by itself with exit code ${exit.code ?? '?'}`;
}

function limitText(ms: number | undefined): string {
  return ms === undefined ? 'unknown length' : formatDuration(ms);
}
