/*
 * A cursor inside a piece of output leads to exactly the rest of it, in whole frames and in parts of them (J2).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, cursorInside, outputStart } from '@clawdfather/supervisor';
import { bytesOf, createRig } from '../../integration/rig.ts';

test('reading on from any byte gives the rest, whatever the piece began at', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(
    rig.sh('echo one; sleep 0.05; echo two two; printf three >&2'),
  );
  await run.wait();
  const whole = await bytesOf(run.output());
  const from: Cursor[] = [outputStart];
  let before = outputStart;
  let passed = 0;
  for await (const event of run.output()) {
    if (event.kind !== 'output') continue;
    for (let count = 1; count <= event.bytes.length; count += 1) {
      const cursor = cursorInside(before, event, count);
      from[passed + count] = cursor;
    }
    passed += event.bytes.length;
    before = event.cursor;
  }
  assert.equal(from.length, whole.length + 1);
  for (const [count, cursor] of from.entries()) {
    assert.deepEqual(await bytesOf(run.outputSoFar(cursor)), whole.subarray(count), `at ${count}`);
    /* And from there once more: a piece that begins inside a frame. */
    for await (const event of run.outputSoFar(cursor)) {
      if (event.kind !== 'output') continue;
      const next = cursorInside(cursor, event, 1);
      assert.deepEqual(await bytesOf(run.outputSoFar(next)), whole.subarray(count + 1));
      break;
    }
  }
});
