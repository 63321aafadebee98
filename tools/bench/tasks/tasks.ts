/*
 * Every task a worker can be given, by name. The names and types are the protocol between main and its workers.
 */
import { holdLiveHeap } from '../measure/live-heap.ts';
import { checkAdopted, measureReconcile } from './adopted-runs.ts';
import { measureEcho } from './echo.ts';
import { endIdleRuns, measureIdleMemory, startIdleRuns } from './idle-runs.ts';
import { measureKillTrees } from './kill-trees.ts';
import { measureSpawn } from './spawn.ts';
import { measureStream } from './stream.ts';
import type { TaskContext } from './task-context.ts';

export const tasks = {
  spawn: measureSpawn,
  stream: measureStream,
  echo: measureEcho,
  'kill-trees': measureKillTrees,
  'idle-memory': measureIdleMemory,
  'start-idle': startIdleRuns,
  'end-idle': (context: TaskContext, _request: Nothing) => endIdleRuns(context),
  'check-adopted': (context: TaskContext, _request: Nothing) => checkAdopted(context),
  reconcile: (context: TaskContext, _request: Nothing) => measureReconcile(context),
  'hold-heap': async (_context: TaskContext, { bytes }: { readonly bytes: number }) =>
    holdLiveHeap(bytes),
};

export type Nothing = Readonly<Record<string, never>>;
export type TaskName = keyof typeof tasks;
export type TaskRequest<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[1];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>;
