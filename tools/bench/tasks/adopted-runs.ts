/*
 * Tasks in the worker that comes after one that was killed: are all runs ours now, and how long does it take to look
 * at everything again?
 */
import { performance } from 'node:perf_hooks';
import { supervisorOf, type TaskContext } from './task-context.ts';

export interface AdoptedRuns {
  readonly adopted: number;
  /* Of those that were asked to echo something, how many did. */
  readonly asked: number;
  readonly answered: number;
}

const askedMax = 8;
const word = 'hello';

export async function checkAdopted(context: TaskContext): Promise<AdoptedRuns> {
  const supervisor = supervisorOf(context);
  const { instanceId, generation } = supervisor;
  const adopted = supervisor
    .list({ states: ['running'], limit: 1_000_000 })
    .filter((run) => run.ownerInstanceId === instanceId && run.ownerGeneration === generation);
  const asked = adopted.slice(0, askedMax);
  let answered = 0;
  for (const { runId } of asked) {
    const run = await supervisor.attach(runId);
    await run.write(word);
    let text = '';
    for await (const event of run.output()) {
      if (event.kind === 'output') text += Buffer.from(event.bytes).toString();
      if (text.length >= word.length) break;
    }
    if (text === word) answered += 1;
  }
  return { adopted: adopted.length, asked: asked.length, answered };
}

export async function measureReconcile(context: TaskContext): Promise<{
  readonly tookMs: number;
  readonly decisions: number;
}> {
  const startedMs = performance.now();
  const decisions = await supervisorOf(context).reconcile();
  return { tookMs: performance.now() - startedMs, decisions: decisions.length };
}
