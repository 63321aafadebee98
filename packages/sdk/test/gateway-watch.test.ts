/*
 * A restart is a generation that grows, of one instance.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGatewayWatch } from '../src/gateway-watch.ts';

const of = (instanceId: string, generation: number) => ({ instanceId, generation, version: '1' });

test('only a generation that grows is a restart, and each one is told once', () => {
  const watch = createGatewayWatch();
  const told: string[] = [];
  const stop = watch.onRestart(({ gateway, generationBefore }) =>
    told.push(`${gateway.instanceId} ${generationBefore}-${gateway.generation}`),
  );
  assert.equal(watch.last, undefined);
  for (const [instance, generation] of [
    ['a', 4],
    ['b', 9],
    ['a', 4],
    ['a', 5],
    ['a', 4],
    ['a', 5],
    ['b', 9],
    ['b', 12],
  ] as const) {
    watch.note(of(instance, generation));
  }
  assert.deepEqual(told, ['a 4-5', 'b 9-12']);
  assert.deepEqual(watch.last, of('b', 12));
  stop();
  watch.note(of('b', 13));
  assert.equal(told.length, 2);
});

test('an answer that a newer generation has overtaken does not become the last one', () => {
  const watch = createGatewayWatch();
  watch.note(of('a', 5));
  watch.note(of('a', 4));
  assert.equal(watch.last?.generation, 5);
});

test('however many instances answer, a bounded number of them is remembered', () => {
  const watch = createGatewayWatch();
  let restarts = 0;
  watch.onRestart(() => (restarts += 1));
  for (let index = 0; index < 1_000; index += 1) watch.note(of(`i${index}`, 1));
  watch.note(of('i0', 2));
  assert.equal(restarts, 0);
  watch.note(of('i999', 2));
  assert.equal(restarts, 1);
});
