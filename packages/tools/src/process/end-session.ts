/*
 * The end of a session: processes that its finished commands left behind were its own until now, and end with it.
 * Commands that still run are work, not leftovers; they go on and can be polled from another session of the account.
 */
import type { RunRecord } from '@clawdfather/supervisor';
import type { ToolCall, ToolsContext } from '../context.ts';
import { endTree } from './control.ts';
import { filterOf } from './find-run.ts';

export interface EndedSession
  extends Pick<ToolCall, 'sessionId' | 'account' | 'requester' | 'signal'> {
  /* What this requester may end of it. Default: all. */
  readonly mayEnd?: (record: RunRecord) => boolean;
}

export async function endSession(context: ToolsContext, session: EndedSession): Promise<void> {
  const { sessionId, mayEnd = () => true } = session;
  const finished = context.supervisor
    .list({ ...filterOf(session), sessionId, states: ['exited'], includeRemoved: true })
    .filter((record) => record.treeEndedAtMs === undefined && mayEnd(record));
  await Promise.all(
    finished.map((record) => endTree(context, record, { graceMs: undefined, call: session })),
  );
}
