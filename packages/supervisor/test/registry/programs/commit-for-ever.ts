/*
 * Inserts, starts and finalises runs as fast as it can and reports each one that
 * was committed, until it is killed.
 */
import { stdout } from 'node:process';
import { createSystemRandom } from '@clawdfather/kit';
import { exitOf, newRunOf, processOf } from '../../records.ts';
import { openHere } from './open-registry.ts';

const { registry, owner } = await openHere();
const random = createSystemRandom();

async function oneRun(): Promise<void> {
  const run = newRunOf(random.id(), { labels: { by: String(owner.generation) } });
  const key = { runId: run.runId, epoch: 1 };
  const exit = exitOf({ runId: run.runId });
  const settlement = { exit, isTreeGone: true, journalBytes: 1, lastOutputAtMs: undefined };
  await registry.write((to) => to.insertStarting(run, owner));
  stdout.write(`inserted ${run.runId}\n`);
  await registry.write((to) => to.markRunning(key, processOf(), 1));
  await registry.write((to) => to.finalise(key, settlement));
  stdout.write(`finalised ${run.runId}\n`);
}

async function lane(): Promise<never> {
  for (;;) await oneRun();
}

stdout.write('ready\n');
await Promise.all(Array.from({ length: 8 }, lane));
