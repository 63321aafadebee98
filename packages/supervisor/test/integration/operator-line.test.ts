/*
 * Whoever is not a run's owner reads its cookie from the journal, and may look there a moment before the shim has
 * written it. The next look finds it; a cookie that stays wrong is refused.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createControlLine } from '../../src/run/shim-link/control-line.ts';
import { readCookie } from '../../src/run/records/run-files.ts';
import { clock, createRig } from './rig.ts';

test('a cookie that was read too early is read again', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('exec sleep 300'));
  const runDir = join(rig.stateDir, 'runs', run.runId);
  const none = new Uint8Array(16);
  const cookies = [none, readCookie(runDir) ?? none];
  const line = createControlLine({
    runDir,
    cookie: () => cookies.shift() ?? none,
    clock,
    ownEpoch: () => undefined,
  });
  const link = await line.open();
  assert.equal(link.hello.epoch, 1);
  link.close();
  await assert.rejects(line.open(), { code: 'shim-refused' });
  line.close();
  await run.cancel();
  await run.wait();
});
