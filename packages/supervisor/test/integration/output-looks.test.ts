/*
 * The end of the output of many runs, asked for again and again as lists do: read when it has changed, and only then.
 */
import assert from 'node:assert/strict';
import fs, { cpSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { createOutputLooks } from '../../src/run/output/output-looks.ts';
import type { RunId } from '../../src/types.ts';
import { createRig, runIdOf, untilOutput } from './rig.ts';

/* Segments that are opened while this is done: of a journal nothing is read before. */
async function openedBy(work: () => Promise<void>): Promise<number> {
  const opens = mock.method(fs, 'openSync');
  syncBuiltinESMExports();
  try {
    await work();
    return opens.mock.calls.filter(({ arguments: [path] }) =>
      /\/j-[0-9a-f]{16}$/.test(String(path)),
    ).length;
  } finally {
    opens.mock.restore();
    syncBuiltinESMExports();
  }
}

test('a page of runs that have said no more is read once', async (t) => {
  const rig = createRig(t);
  // Of another process, so that nobody here looks at it for other reasons.
  const owner = await rig.owner();
  const script = 'echo one; read line; echo two; exec sleep 300';
  const { runId } = await owner.call('spawn', rig.sh(script, { runId: 'says' }));
  const looking = await rig.supervisor({ launcher: 'direct' });
  const run = await looking.attach(runIdOf(runId));
  await untilOutput(run, 'one');
  const record = run.snapshot();
  const first = await looking.outputTail(record);
  assert.equal(
    await openedBy(async () => assert.deepEqual(await looking.outputTail(record), first)),
    0,
  );
  await run.write('go\n');
  await untilOutput(run, 'two');
  const second = await looking.outputTail(record);
  assert.notEqual(second?.end, first?.end);
  assert.equal(second?.start, first?.start, 'both lines are in its last KiB');
  assert.equal(second?.atMs, looking.detail(record).lastOutputAtMs);
  // Many of them, visited in order.
  const runDir = join(rig.stateDir, 'runs', runId);
  const copies = Array.from({ length: 120 }, (_, index) => `copy-${index}` as RunId);
  for (const copy of copies)
    cpSync(runDir, join(rig.stateDir, copy), { recursive: true, filter: isNoSocket });
  const looks = createOutputLooks();
  const lookAtAll = async (): Promise<void> => {
    for (const copy of copies) {
      const tail = await looks.tailOf(join(rig.stateDir, copy), { ...record, runId: copy });
      assert.deepEqual(tail, second);
    }
  };
  assert.equal(await openedBy(lookAtAll), copies.length);
  assert.equal(await openedBy(lookAtAll), 0);
  await run.cancel();
  await run.wait();
  assert.deepEqual(await looking.outputTail(run.snapshot()), second, 'an end is no output');
});

function isNoSocket(path: string): boolean {
  return !fs.lstatSync(path).isSocket();
}
