/*
 * How a run stands, in words and as a mood. A host that cannot be reached says nothing about its runs.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Mood } from '../parts/rows.tsx';

export type Run = AnswerOf<Api['runs']['get']>;

const ends: Readonly<Record<string, string>> = {
  'manual-cancel': 'cancelled',
  'overall-timeout': 'ended by its time limit',
  'no-output-timeout': 'ended: wrote nothing for too long',
  'spawn-error': 'could not be started',
  'ownership-escape': 'left processes, which were ended',
  'owner-lost': 'ended: its owner was lost',
  'out-of-memory': 'killed: out of memory',
  'host-rebooted': 'ended: the machine was restarted',
  'container-restarted': 'ended: the container was restarted',
  'reconciled-stale': 'gone; its end was not seen',
  unknown: 'ended; it is not known why',
};

export function formatStanding({ state, exit, stalled }: Run): string {
  if (exit !== null) {
    const { reason, code, signal } = exit;
    if (reason === 'exit') return code === 0 ? 'done' : `failed with ${code ?? '?'}`;
    if (reason === 'signal') return `killed by ${signal ?? 'a signal'}`;
    return ends[reason] ?? reason;
  }
  if (state === 'held') return 'waits for you';
  if (isEnding({ state, exit })) return 'ending';
  return stalled === undefined ? state : `stands still: ${stalled.replaceAll('-', ' ')}`;
}

/* It was asked to end, and has not yet. */
export function isEnding({ state, exit }: Pick<Run, 'state' | 'exit'>): boolean {
  return state === 'exiting' && exit === null;
}

export function moodOf({ state, exit, stalled }: Run): Mood {
  if (exit !== null) {
    // Somebody wanted that.
    if (exit.reason === 'manual-cancel') return 'plain';
    return exit.reason === 'exit' && exit.code === 0 ? 'good' : 'bad';
  }
  return state === 'held' || stalled !== undefined ? 'waiting' : 'working';
}

/* What was typed: a shell line without the shell that runs it. */
export function lineOf({ command }: Pick<Run, 'command'>): string {
  const line = /^\/bin\/sh -c (.+)$/s.exec(command)?.[1];
  if (line === undefined) return command;
  const quoted = /^'(.*)'$/s.exec(line)?.[1];
  return quoted === undefined ? line : quoted.replaceAll("'\\''", "'");
}
