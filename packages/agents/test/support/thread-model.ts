/*
 * A thread in memory: commits changes as the store does, and keeps what is only added.
 */
import {
  type EventRow,
  type FrameRow,
  isAmongRows,
  type ThreadChange,
  type ThreadRows,
  type TurnRow,
} from '@clawdfather/agents';
import type { RunId } from '@clawdfather/supervisor';

export const aRunId = '3k9qv7hd2m5x8abc' as RunId;

export function newThread(): ThreadRows {
  return {
    thread: {
      id: 'thread',
      version: 1,
      agent: 'fake',
      cwd: '/work',
      title: 'a thread',
      status: 'ready',
      lastSeq: 0,
      backend: 'acp',
      ownerId: 'thread',
      ancestors: [],
      instanceId: 'one',
      createdAtMs: 0,
      updatedAtMs: 0,
    },
    calls: new Map(),
    asks: new Map(),
    queue: [],
  };
}

export class ThreadModel {
  rows: ThreadRows = newThread();
  readonly events: EventRow[] = [];
  readonly frames: FrameRow[] = [];
  readonly endedTurns: TurnRow[] = [];

  commit(change: ThreadChange | undefined): ThreadRows {
    if (change === undefined) throw new TypeError('nothing was decided');
    const { thread, asks, calls } = change.rows;
    const open = [...asks].filter(([, ask]) => isAmongRows(ask));
    const sent = [...calls].filter(([, { state }]) => state === 'sent');
    this.events.push(...change.events);
    this.frames.push(...change.frames);
    this.endedTurns.push(...change.endedTurns);
    this.rows = {
      ...change.rows,
      thread: { ...thread, version: thread.version + 1 },
      asks: new Map(open),
      calls: new Map(sent),
    };
    return this.rows;
  }
}
