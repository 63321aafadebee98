/*
 * `tasks.queue`: what runs and what waits, of the caller's account.
 */
import type { RpcResult } from '@clawdfather/protocol/acp';
import type { RpcHandler } from './rpc-call.ts';
import { showTask } from './show-task.ts';

type Lane = RpcResult<'tasks.queue'>['lanes'][number];

const threadsMax = 100;

export const showQueue: RpcHandler<'tasks.queue'> = async ({ deps, mine, isOlder, params }) => {
  const { lane: only } = params;
  const lanes = new Map<string, Lane>();
  const nowMs = deps.clock.wallMs();
  for (const status of ['running', 'queued'] as const) {
    const { items } = await mine.records.list({ status, limit: threadsMax });
    for (const thread of items) {
      if (only !== undefined && only !== thread.agent) continue;
      const rows = await mine.records.load(thread.id);
      const lane = lanes.get(thread.agent) ?? emptyLane(thread.agent);
      const queue = rows?.queue ?? [];
      const positions = queue.map((turn) => {
        const { queue: place } = showTask(deps.clock, { turn, thread, rows, isOlder });
        const { position = 1, ahead = 0, reason = 'lane_busy' } = place ?? {};
        return { turnId: turn.id, threadId: thread.id, position, ahead, reason };
      });
      const waits = queue.map(({ queuedAtMs }) => nowMs - queuedAtMs);
      const oldest = Math.max(lane.oldestWaitMs ?? 0, ...waits);
      lanes.set(thread.agent, {
        ...lane,
        active: lane.active + (rows?.turn === undefined ? 0 : 1),
        queued: lane.queued + queue.length,
        oldestWaitMs: lane.queued + queue.length === 0 ? null : oldest,
        positions: [...lane.positions, ...positions],
      });
    }
  }
  return { result: { lanes: [...lanes.values()] } };
};

function emptyLane(lane: string): Lane {
  const none = { active: 0, activeMax: null, queued: 0, queuedMax: null };
  return { lane, ...none, oldestWaitMs: null, positions: [] };
}
