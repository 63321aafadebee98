/*
 * How a run stands, and when something was, in words for the page.
 */
import { formatGone, makeVisible } from '@clawdfather/tools/text';
import type { RunJson } from '../runs/run-json.ts';

type Shown = Pick<RunJson, 'state' | 'exit' | 'stalled'>;

/* `running`, `done`, or why it ended. */
export function formatStanding({ state, exit, stalled }: Shown): string {
  if (exit !== null) return formatEnd(exit);
  return stalled === undefined ? state : `stands still: ${stalled.replaceAll('-', ' ')}`;
}

/* `good` is done, `bad` is any other end, `live` is neither. */
export function moodOf({ exit }: Shown): 'live' | 'good' | 'bad' {
  if (exit === null) return 'live';
  return exit.reason === 'exit' && exit.code === 0 ? 'good' : 'bad';
}

function formatEnd({ reason, code, signal, detail }: NonNullable<RunJson['exit']>): string {
  const why = detail === null ? '' : `: ${makeVisible(detail)}`;
  switch (reason) {
    case 'exit':
      return code === 0 ? 'done' : `failed with exit code ${code ?? '?'}`;
    case 'signal':
      return `killed by ${signal ?? 'a signal'}`;
    case 'overall-timeout':
      return 'ended by its time limit';
    case 'no-output-timeout':
      return 'ended, because it wrote nothing for too long';
    case 'manual-cancel':
      return 'cancelled';
    case 'spawn-error':
      return `could not be started${why}`;
    case 'ownership-escape':
      return 'left processes running, which were ended';
    case 'owner-lost':
      return 'ended, because its owner was lost';
    case 'out-of-memory':
    case 'host-rebooted':
    case 'container-restarted':
    case 'reconciled-stale':
    case 'unknown':
      return formatGone(reason, why);
  }
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export function formatAgo(nowMs: number, at: string): string {
  const ms = nowMs - Date.parse(at);
  if (ms < minuteMs) return 'just now';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`;
  const days = Math.floor(ms / dayMs);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}

/* How long a request still waits for its answer. */
export function formatLeft(nowMs: number, until: string): string {
  const ms = Date.parse(until) - nowMs;
  if (ms < minuteMs) return 'waits for less than a minute';
  if (ms < hourMs) return `waits for ${Math.floor(ms / minuteMs)} min more`;
  return `waits for ${Math.floor(ms / hourMs)} h more`;
}
