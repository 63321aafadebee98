/*
 * Main's side of a worker: start it, give it tasks, end it or kill it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ContenderName } from '../contenders/contender.ts';
import type { TaskName, TaskRequest, TaskResult } from '../tasks/tasks.ts';
import type { WorkerMessage } from './worker-message.ts';

export interface WorkerProcess extends AsyncDisposable {
  readonly contender: ContenderName;
  /* How long it took to open the contender; for ours that includes taking over what was left. */
  readonly openMs: number;
  /* One at a time. */
  task<Name extends TaskName>(name: Name, request: TaskRequest<Name>): Promise<TaskResult<Name>>;
  /* As a crash would. */
  kill(): Promise<void>;
}

const workerPath = fileURLToPath(new URL('../worker.ts', import.meta.url));
const heapMegabytesMax = 6_144;

export async function openWorker(
  contender: ContenderName,
  stateDir: string,
): Promise<WorkerProcess> {
  const child = fork(workerPath, [contender, stateDir], {
    execArgv: [
      '--conditions=@clawdfather/source',
      '--expose-gc',
      `--max-old-space-size=${heapMegabytesMax}`,
    ],
    /* In a group of its own: Control-C ends main, and main ends its workers. */
    detached: true,
  });
  const ready = await nextMessage(child, contender);
  if (ready.type !== 'ready') throw new Error(`${contender}: unexpected ${ready.type}`);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return {
    contender,
    openMs: ready.openMs,
    task: async (task, request) => {
      const answer = nextMessage(child, contender);
      child.send({ task, request });
      const message = await answer;
      if (message.type === 'done') return message.result as TaskResult<typeof task>;
      throw new Error(`${contender}: ${message.type === 'failed' ? message.error : message.type}`);
    },
    kill,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

function nextMessage(child: ChildProcess, name: string): Promise<WorkerMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerMessage>();
  const onExit = (): void => reject(new Error(`the worker of ${name} ended by itself`));
  child.once('exit', onExit);
  child.once('message', (message) => {
    child.off('exit', onExit);
    resolve(message as WorkerMessage);
  });
  return promise;
}
