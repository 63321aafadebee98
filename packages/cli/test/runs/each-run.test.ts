/*
 * A command over several runs: side by side, told in order, failures by themselves.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred } from '@clawdfather/kit';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { killSpec } from '../../src/commands/specs.ts';
import { createPaint } from '../../src/render/paint.ts';
import { eachRun, type Told } from '../../src/runs/each-run.ts';
import { callWith } from '../support/configs.ts';
import { createFakeIo } from '../support/fake-io.ts';
import { recordWith, runId } from '../support/records.ts';

function contextOf(...argv: string[]) {
  const io = createFakeIo();
  const { config, operands, isJson, callSettings } = callWith(killSpec, argv);
  const context = {
    io,
    callSettings,
    caller: config,
    config,
    clock: createFakeClock(),
    random: createSeededRandom(1),
    isJson,
    paint: createPaint(false),
  };
  return { io, context, typed: operands.runs };
}

const known = [recordWith({ runId: runId('aaa') }), recordWith({ runId: runId('bbb') })];
const lister = {
  flag: '',
  list: async ({ idPrefix = '', labels }: { idPrefix?: string; labels?: unknown } = {}) =>
    labels === undefined ? known.filter((record) => record.runId.startsWith(idPrefix)) : [],
};

test('all are begun before the first has ended, and told as they were named', async () => {
  const { io, context, typed } = contextOf('aaa', 'nobody', 'bbb');
  const works = new Map(known.map(({ runId: id }) => [id, deferred<Told>()] as const));
  const begun: string[] = [];
  const code = eachRun(context, { place: lister, typed }, ({ runId: id }) => {
    begun.push(id);
    return works.get(id)?.promise ?? assert.fail(id);
  });
  await context.clock.advance(0);
  assert.deepEqual(begun, ['aaa', 'bbb']);
  works.get(runId('bbb'))?.resolve({ text: 'second', json: {} });
  works.get(runId('aaa'))?.resolve({ text: 'first', json: {} });
  assert.equal(await code, 125);
  assert.equal(io.out(), 'first\nsecond\n');
  assert.match(io.err(), /^clf: no run is called "nobody"/);
});

test('with JSON a failure is a line like the others', async () => {
  const { io, context, typed } = contextOf('--json', 'aaa', 'bbb');
  const code = await eachRun(context, { place: lister, typed }, async ({ runId: id }) => {
    if (id === 'aaa') throw new Error('odd');
    return { text: '', json: { id } };
  });
  assert.equal(code, 125);
  const lines = io.out().trim().split('\n');
  assert.deepEqual(
    lines.map((line) => Object.keys(JSON.parse(line) as object)),
    [['typed', 'error'], ['id']],
  );
});
