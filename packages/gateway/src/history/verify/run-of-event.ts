/*
 * Which run of an agent has said what an event tells. Pure. Events name turns, and turns name runs; between turns, and for a turn that was
 * put back and given to another run, the time decides: runs of a thread follow one another.
 */
import type { AgentRunRow, EventRow, TurnRow } from '@clawdfather/agents';

export function runOfEvent(
  runs: readonly Pick<AgentRunRow, 'runId' | 'startedAtMs'>[],
  turns: readonly Pick<TurnRow, 'id' | 'runId' | 'requeuedCount'>[],
): (event: Pick<EventRow, 'turnId' | 'atMs'>) => string | undefined {
  const byTurn = new Map(
    turns.filter(({ requeuedCount }) => requeuedCount === 0).map(({ id, runId }) => [id, runId]),
  );
  const ordered = runs.toSorted((one, other) => one.startedAtMs - other.startedAtMs);
  return ({ turnId, atMs }) => {
    const named = turnId === undefined ? undefined : byTurn.get(turnId);
    return named ?? ordered.findLast(({ startedAtMs }) => startedAtMs <= atMs)?.runId;
  };
}
