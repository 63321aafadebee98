/*
 * How many runs of one account may live at a time: an agent in a loop must not take the machine.
 *
 * Counted before the start, so several calls at the same moment may go beyond it by as many; those of them that are being
 * started here are counted too.
 */
import { liveRunStates, type RunId } from '@clawdfather/supervisor';
import type { ToolCall, ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import { filterOf } from '../process/find-run.ts';

/* Throws `run-limit-reached`. */
export function checkLiveRuns(context: ToolsContext, { account, runId }: ToolCall): void {
  const { liveRunsMax, supervisor, starting } = context;
  if (liveRunsMax === undefined) return;
  // A repeated request starts no further run.
  if (runId !== undefined && supervisor.get(runId as RunId) !== undefined) return;
  const begun = [...starting].filter(
    ([id, { account: theirs }]) => theirs === account && supervisor.get(id as RunId) === undefined,
  );
  const live = supervisor.count({
    ...filterOf({ account }),
    states: liveRunStates,
    includeRemoved: true,
  });
  if (live + begun.length < liveRunsMax) return;
  throw new ToolsError('run-limit-reached', `${liveRunsMax} runs are alive already`, {
    detail: { liveRunsMax },
    hint: 'End one, or wait until one has ended.',
  });
}
