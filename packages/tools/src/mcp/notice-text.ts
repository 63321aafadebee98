/*
 * Ends of other runs in a result, as text: one line each, in a block of their own, so that they are not taken for output of the
 * command that the result is about.
 */
import { formatMs } from './exec-text.ts';
import type { ExitNotice } from './next-notice.ts';

export function formatNotices(notices: readonly ExitNotice[]): string {
  return ['Ended in the background meanwhile:', ...notices.map(formatNotice)].join('\n');
}

function formatNotice({ runId, command, durationMs, ...notice }: ExitNotice): string {
  const after = durationMs === undefined ? '' : ` after ${formatMs(durationMs)}`;
  const what = command === undefined ? '' : `  ${command.replaceAll('\n', '⏎')}`;
  return `${runId}  ${howOf(notice)}${after}${what}`;
}

function howOf({ event, reason, code, signal }: Omit<ExitNotice, 'runId'>): string {
  if (event === 'denied') return `never started (${reason})`;
  if (reason === 'exit' && code !== undefined) return `exit code ${code}`;
  return signal === undefined ? reason : `${reason} (${signal})`;
}
