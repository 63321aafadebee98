/*
 * How a thread stands, in the words of the app: of one in which nothing runs or waits, how its last turn ended.
 */
import type { Thread } from './thread-types.ts';

export function standingOfThread({
  status,
  last_result_code: code,
}: Pick<Thread, 'status' | 'last_result_code'>): string {
  if (status !== 'ready') return status;
  if (code === null) return 'new';
  return code === 'success' ? 'done' : code === 'aborted' ? 'stopped' : 'failed';
}
