/*
 * How a thread stands, as a mood, and what it is called.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Mood } from '../parts/rows.tsx';

export type Thread = AnswerOf<Api['threads']['get']>['thread'];
export type Ask = AnswerOf<Api['asks']['get']>;

export function moodOfThread({ status, last_result_code: code }: Thread): Mood {
  if (status === 'running') return 'working';
  if (status === 'queued') return 'waiting';
  if (status === 'archived' || code === null) return 'plain';
  return code === 'success' ? 'good' : code === 'aborted' ? 'plain' : 'bad';
}

export function standingOfThread({ status, last_result_code: code }: Thread): string {
  if (status !== 'ready') return status;
  if (code === null) return 'new';
  return code === 'success' ? 'done' : code === 'aborted' ? 'stopped' : 'failed';
}

export function titleOfThread({ title, agent, directory }: Thread): string {
  return title === '' ? `${agent} in ${directory}` : title;
}
