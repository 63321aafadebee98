/*
 * `tasks.queue`: how full the lanes are, and where the turns of the caller stand in them. Of others it shows how many there are.
 */
import type { LaneView } from '@clawdfather/threads';
import type { RpcResult } from '@clawdfather/protocol/acp';
import type { RpcHandler } from './rpc-call.ts';
import { showPlace } from './show-task.ts';

type Lane = RpcResult<'tasks.queue'>['lanes'][number];

export const showQueue: RpcHandler<'tasks.queue'> = async ({ deps, caller, params }) => {
  const { lane: only } = params;
  const nowMs = deps.clock.wallMs();
  const { lanes, waiting } = await deps.agentThreads.threads.queue.ofAccount(caller.accountId);
  const shown = lanes.map((view) => showLane(view, nowMs));
  const positions = waiting.map((turn) => ({
    turnId: turn.turnId,
    threadId: turn.threadId,
    agent: turn.agent,
    ...showPlace(turn),
  }));
  if (only === undefined) return { result: { lanes: shown, positions } };
  // A lane by its kind, or an agent's by the agent's name. Every turn waits for a lane of each kind.
  return {
    result: {
      lanes: shown.filter(({ lane, agent }) => lane === only || agent === only),
      positions: positions.filter(({ agent }) =>
        ['agent', 'account', 'gateway', agent].includes(only),
      ),
    },
  };
};

function showLane(
  { lane, agent, active, waiting, limits, ...view }: LaneView,
  nowMs: number,
): Lane {
  const { oldestQueuedAtMs } = view;
  return {
    lane,
    agent: agent ?? null,
    active,
    activeMax: limits.activeMax,
    queued: waiting,
    queuedMax: limits.waitingMax,
    oldestWaitMs: oldestQueuedAtMs === undefined ? null : Math.max(0, nowMs - oldestQueuedAtMs),
  };
}
