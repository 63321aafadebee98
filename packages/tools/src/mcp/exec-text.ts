/*
 * The outcome of a run as a person or an agent would want to read it: first what became of it, then what to do next, then what
 * it said. The first line stands alone, because some clients cut the rest.
 */
import type { ExecResult, PollResult } from '@clawdfather/protocol';
import { assertNever } from '@clawdfather/kit';
import { formatDenial } from './denial-text.ts';
import { timeLimitLines } from './time-limit-text.ts';

type Outcome = ExecResult | PollResult;
type Truncated = { readonly droppedBytes: number; readonly fromCursor: string } | undefined;

/* The longest that poll waits; one call instead of many. */
const suggestedWaitMs = 30_000;

export function formatOutcome(result: Outcome): string {
  switch (result.status) {
    case 'completed': {
      const head = `Exit code ${result.exitCode} after ${formatMs(result.durationMs)}, run ${result.runId}.`;
      return block([head, ...leftoverLines(result), ...result.notes], outputText(result));
    }
    case 'failed': {
      const head = `Failed (${result.kind}): ${result.message}`;
      const run = `Run ${result.runId}.`;
      return block([head, run, ...leftoverLines(result), ...result.notes], outputText(result));
    }
    case 'running':
      return formatRunning(result);
    case 'approval-pending': {
      const next = callText('poll', { runId: result.runId, waitMs: suggestedWaitMs });
      const { approvalId, stateDir } = result;
      const where =
        stateDir === undefined ? "on the gateway's machine, or with -g" : `it waits in ${stateDir}`;
      return block([
        `Not started: a person has to approve it (approval ${approvalId}, until ${result.expiresAt}).`,
        `Why: ${result.why}.`,
        `You cannot approve it. The user can: clf allow ${approvalId} (${where}; clf approvals shows it). Wait for the decision with ${next}`,
        ...timeLimitLines(result),
      ]);
    }
    case 'denied': {
      const head = `${capitalised(formatDenial(result))}. Nothing was started.`;
      const { askedAgain } = result;
      if (askedAgain === undefined) return block([head]);
      const { approvalId, runId } = askedAgain;
      const next = callText('poll', { runId, waitMs: suggestedWaitMs });
      return block([
        head,
        `You cannot approve it. The user can: clf allow ${approvalId} (clf approvals shows it). Wait for the decision with ${next}`,
      ]);
    }
    default:
      return assertNever(result);
  }
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/* True when what was asked for did not take place at all; a command that ran and failed is an answer. */
export function isRefusal(result: Outcome): boolean {
  if (result.status === 'denied') return true;
  if (result.status !== 'failed') return false;
  const neverRan = ['spawn-error', 'host-unreachable', 'command-not-found', 'not-executable'];
  return neverRan.includes(result.kind) && result.exitCode === undefined;
}

export function callText(action: string, fields: Readonly<Record<string, unknown>>): string {
  return `process ${JSON.stringify({ action, ...fields })}`;
}

export function block(lines: readonly string[], output?: string): string {
  const head = lines.join('\n');
  return output === undefined ? head : `${head}\n\n${output}`;
}

function formatRunning(result: Extract<Outcome, { readonly status: 'running' }>): string {
  const { runId, cursor } = result;
  const next = callText('poll', { runId, cursor, waitMs: suggestedWaitMs });
  const process = result.pid === undefined ? 'Starting' : `Running (pid ${result.pid})`;
  const isWaiting = 'waitingForInput' in result && result.waitingForInput;
  const text = 'tail' in result ? result.tail : result.output;
  return block(
    [
      `${process}, run ${runId}.${isWaiting ? ' It seems to wait for input.' : ''}`,
      `What comes next: ${next}`,
      ...timeLimitLines(result),
      ...result.notes,
    ],
    outputText({ runId, output: text, truncated: result.truncated }),
  );
}

function outputText(result: {
  readonly runId: string;
  readonly output: string;
  readonly truncated?: Truncated;
}): string {
  const { runId, output, truncated } = result;
  const said = output === '' ? '(no output)' : output;
  if (truncated === undefined) return said;
  const how = callText('log', { runId, cursor: truncated.fromCursor });
  // Where it was cut need not be where a line begins.
  return `[${truncated.droppedBytes} bytes before this are left out. Read them with ${how}]\n…${said}`;
}

function leftoverLines(result: {
  readonly runId: string;
  readonly leftovers: readonly { readonly pid: number; readonly name: string }[];
}): string[] {
  if (result.leftovers.length === 0) return [];
  const named = result.leftovers.map(({ pid, name }) => `${name} (pid ${pid})`).join(', ');
  return [
    `Left running by it: ${named}. End them with ${callText('kill', { runId: result.runId })}`,
  ];
}

export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}
