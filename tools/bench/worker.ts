/*
 * A process in which one contender is measured, so that none pays for another's heap or timers.
 *
 * `worker.ts CONTENDER STATE_DIR`, started by main with a channel: says `ready` with the time it took to open the
 * contender, then does one task at a time.
 */
import { performance } from 'node:perf_hooks';
import { contenderNames } from './contenders/contender.ts';
import { openContender } from './contenders/open-contender.ts';
import type { SupervisedContender } from './contenders/supervised.ts';
import type { TaskContext } from './tasks/task-context.ts';
import { type TaskName, tasks } from './tasks/tasks.ts';
import type { WorkerMessage } from './scenarios/worker-message.ts';

const [, , nameArgument, stateDir = ''] = process.argv;
const name = contenderNames.find((known) => known === nameArgument);
if (name === undefined) throw new Error(`no contender is called ${nameArgument}`);

const tell = (message: WorkerMessage): void => void process.send?.(message);

const openingMs = performance.now();
const contender = await openContender(name, stateDir);
const openMs = performance.now() - openingMs;
const supervisor =
  'supervisor' in contender ? (contender as SupervisedContender).supervisor : undefined;
const context: TaskContext = { contender, supervisor, idle: [] };

process.on('message', (message: { readonly task: TaskName; readonly request: unknown }) => {
  const task = tasks[message.task] as (context: TaskContext, request: unknown) => Promise<unknown>;
  task(context, message.request).then(
    (result) => tell({ type: 'done', result }),
    (error: unknown) => tell({ type: 'failed', error: describe(error) }),
  );
});
process.on('disconnect', () => {
  void contender.close().then(() => process.exit(0));
});
tell({ type: 'ready', openMs });

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
