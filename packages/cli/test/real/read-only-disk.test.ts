/*
 * A disk that has turned read-only by itself, as ext4 does after an error, while its mount still says that it is writable. Runs are
 * listed, read and ended, the gateway stops, and no shim stays.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSmallExt4, smallDiskSkip } from '@clawdfather/testkit';
import { startTicksOf } from '@clawdfather/supervisor/alive';
import { createGatewayRig, endOf } from '../support/gateway-rig.ts';

interface ShownRun {
  readonly id: string;
  readonly pid: number;
}

test('a disk that turned read-only by itself is told as one, and keeps nothing from ending', {
  skip: smallDiskSkip,
  timeout: 180_000,
}, async (context) => {
  const disk = openSmallExt4(32 * 1024 * 1024);
  context.after(() => disk[Symbol.dispose]());
  const rig = createGatewayRig(context);
  rig.env['CLAWDFATHER_STATE_DIR'] = join(disk.path, 'state');
  const gateway = await rig.serve();
  const line = 'echo here; exec sleep 1000';
  const run = (await rig.clf('run', '-d', '--', 'sh', '-c', line)).stdout.trim();
  disk.turnReadOnly();

  const listed = await rig.clf('ps', '-q');
  assert.equal(listed.stdout, `${run}\n`, listed.stderr);
  assert.match(listed.stderr, /the disk is read-only \(\/dev\/loop/);
  assert.equal((await rig.clf('logs', run)).stdout, 'here\n');
  assert.match((await rig.clf('run', '--', 'true')).stderr, /the disk is read-only/);
  const shown = JSON.parse((await rig.clf('show', '--json', run)).stdout) as ShownRun;
  // What ends it says how it ended, from the shim's own word: no record can be kept.
  assert.equal((await rig.clf('kill', run)).stdout, `${run} cancelled\n`);
  assert.equal(startTicksOf(shown.pid), undefined);
  const stopped = await rig.clf('stop');
  assert.equal(stopped.code, 0, stopped.stderr);
  assert.deepEqual(await endOf(gateway), { code: 0, signal: null });
});
