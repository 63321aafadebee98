/*
 * Waits for a word, then takes every open run it can, one write per run so that
 * two of these meet as often as possible, and prints what it got.
 */
import { once } from 'node:events';
import { stdin, stdout } from 'node:process';
import { openHere } from './open-registry.ts';

const { registry, owner } = await openHere();
const runIds = registry.open().map(({ runId }) => runId);
stdout.write('ready\n');
await once(stdin, 'data');
stdin.destroy();

const taken: { readonly runId: string; readonly epoch: number }[] = [];
for (const runId of runIds) {
  const [outcome] = await registry.takeRuns(owner, [runId]);
  if (outcome?.outcome === 'taken') taken.push({ runId, epoch: outcome.epoch });
}
stdout.write(`${JSON.stringify({ generation: owner.generation, taken })}\n`);
await registry.close();
