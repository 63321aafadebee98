/*
 * What an action of `process` brought, as text: what was done or found, and how to go on.
 */
import type { ProcessResult, RunSummary } from '@clawdfather/protocol';
import { assertNever } from '@clawdfather/kit';
import { block, callText, formatOutcome } from './exec-text.ts';
import { shortTimeLimit, timeLimitLines } from './time-limit-text.ts';

/* Of a command, in a list; the whole of it is in the structured content. */
const commandCharactersMax = 100;

type Ended = Extract<ProcessResult, { readonly action: 'kill' | 'remove' }>;

export function formatProcessResult(result: ProcessResult): string {
  switch (result.action) {
    case 'list':
      return formatList(result);
    case 'poll':
      return formatOutcome(result);
    case 'log':
      return formatLog(result);
    case 'screen':
      return formatScreen(result);
    case 'write':
      return `${result.bytes} bytes written${result.isEof ? ', and stdin is closed' : ''}.`;
    case 'send-keys':
      return `${result.bytes} bytes sent. ${lookText(result.runId)}`;
    case 'submit':
      return `Enter sent. ${lookText(result.runId)}`;
    case 'paste':
      return `${result.bytes} bytes pasted${result.isBracketed ? ' as one piece' : ''}.`;
    case 'resize':
      return `The terminal has ${result.cols} columns and ${result.rows} rows now.`;
    case 'signal':
      return `${result.signal} sent.`;
    case 'kill':
      return formatEnded(result);
    case 'clear':
      return 'It is off the list, with its output.';
    case 'remove':
      return `${formatEnded(result)} It is off the list.`;
    default:
      return assertNever(result);
  }
}

function lookText(runId: string): string {
  return `See what came of it with poll, or of a pty run with ${callText('screen', { runId })}`;
}

function formatList(result: Extract<ProcessResult, { readonly action: 'list' }>): string {
  if (result.runs.length === 0) return 'There are no runs.';
  const more = result.isMore ? ['There are more: ask with a higher limit.'] : [];
  return block(
    [result.runs.length === 1 ? 'One run.' : `${result.runs.length} runs, newest first.`, ...more],
    result.runs.map(formatRun).join('\n'),
  );
}

function formatRun(run: RunSummary): string {
  const command =
    run.command.length > commandCharactersMax
      ? `${run.command.slice(0, commandCharactersMax)}…`
      : run.command;
  return [run.runId, stateOf(run), command.replaceAll('\n', '⏎')].join('  ');
}

function stateOf(run: RunSummary): string {
  const processes = run.leftovers === 1 ? 'a process' : `${run.leftovers} processes`;
  const left = run.leftovers > 0 ? `, left ${processes} running` : '';
  if (run.state === 'held') return 'waits for approval';
  if (run.state !== 'exited')
    return `${run.state}${run.pid === undefined ? '' : ` (pid ${run.pid})`}${shortTimeLimit(run)}`;
  if (run.reason === 'exit' && run.exitCode !== undefined)
    return `exit code ${run.exitCode}${left}`;
  return `${run.reason ?? 'ended'}${run.signal === undefined ? '' : ` (${run.signal})`}${left}`;
}

function formatLog(result: Extract<ProcessResult, { readonly action: 'log' }>): string {
  const losses = [
    ...(result.droppedBytes > 0 ? [`${result.droppedBytes} bytes are no longer kept.`] : []),
    ...(result.damagedBytes > 0
      ? [
          `${result.damagedBytes} bytes are missing: the journal was cut, deleted or altered on disk.`,
        ]
      : []),
    ...(result.isTailLost
      ? ['The journal ends without its end; the last output may be missing.']
      : []),
  ];
  return block(
    [`${whereOf(result)}; ${nextOf(result)}.`, ...timeLimitLines(result), ...losses],
    result.text === '' ? '(no output)' : result.text,
  );
}

type Log = Extract<ProcessResult, { readonly action: 'log' }>;

function whereOf({ firstLine, lines, totalLines, encoding }: Log): string {
  if (firstLine === undefined || lines === undefined) return `Output, as ${encoding}`;
  if (lines === 0 && firstLine === 0) return 'No lines';
  if (lines === 0) return `No line ${firstLine}: there are ${totalLines ?? 0}, from 0`;
  return `Lines ${firstLine} to ${firstLine + Math.max(0, lines - 1)} of ${totalLines ?? 'more'}, from 0`;
}

/* By line a page is followed by the next lines; by cursor, by what lies behind the cursor. */
function nextOf({ runId, isEnd, firstLine, lines, cursor, encoding }: Log): string {
  if (isEnd) return `nothing follows so far (cursor ${cursor})`;
  const next =
    firstLine === undefined || lines === undefined
      ? { runId, cursor, ...(encoding === 'base64' ? { encoding } : {}) }
      : { runId, offset: firstLine + lines };
  return `what follows: ${callText('log', next)}`;
}

function formatScreen(result: Extract<ProcessResult, { readonly action: 'screen' }>): string {
  const { cursor, cols, rows } = result;
  const hidden = cursor.isVisible ? '' : ', hidden';
  const at = `cursor in row ${cursor.row}, column ${cursor.column} (from 0${hidden})`;
  const title = result.title === '' ? '' : `, title ${JSON.stringify(result.title)}`;
  const head = `${cols}×${rows}, ${at}${title}, ${result.isRunning ? 'running' : 'ended'}.`;
  // Empty rows at the bottom cost tokens; how many rows there are is said above.
  const last = result.lines.findLastIndex((line) => line !== '');
  return block([head], result.lines.slice(0, last + 1).join('\n'));
}

function formatEnded(result: Ended): string {
  const named = result.survivors.map(({ pid, name }) => `${name} (pid ${pid})`).join(', ');
  if (result.isGone && result.reason === undefined)
    return 'It will not start: the request is taken back.';
  if (!result.isGone) return `Not everything could be ended: ${named} is still there.`;
  const code = result.exitCode === undefined ? '' : `, exit code ${result.exitCode}`;
  const signal = result.signal === undefined ? '' : `, ${result.signal}`;
  return `It is gone, with everything it started (${result.reason ?? 'ended'}${code}${signal}).`;
}
