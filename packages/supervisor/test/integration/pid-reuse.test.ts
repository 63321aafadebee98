/*
 * The guard against reused pids, with pids that really are reused: in a pid namespace of its own, where the
 * next pid can be chosen. Needs root for the namespace.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PidReuseReport } from './fixtures/pid-reuse.ts';
import { binaryPath, createRig } from './rig.ts';
import { markVariable, statusOf } from './process-table.ts';

const unshare = 'unshare';
const namespace = ['-fp', '--mount-proc', '--kill-child'];
const isPossible = statusOf(unshare, ...namespace, 'true') === 0;
const skip = isPossible ? false : 'no pid namespace can be made here';
const program = fileURLToPath(new URL('./fixtures/pid-reuse.ts', import.meta.url));
/* A shell that is not replaced by its command reaps what is orphaned, as a first process must. */
const reaper = ['sh', '-c', '"$@"; exit $?', 'sh'];

test('T6: a pid that was given to somebody else is neither signalled nor believed', {
  skip,
}, async (t) => {
  const rig = createRig(t);
  const { stateDir, mark } = rig;
  const place = JSON.stringify({ stateDir, binaryPath, mark });
  const node = [process.execPath, '--conditions=@clawdfather/source', program, place];
  const { stdout } = await promisify(execFile)(unshare, [...namespace, ...reaper, ...node], {
    env: { ...process.env, [markVariable]: mark },
  });
  const report: PidReuseReport = JSON.parse(stdout);
  assert.deepEqual(report, {
    isRootPidReused: true,
    isShimPidReused: true,
    decision: 'stale',
    reason: 'reconciled-stale',
    areBystandersAlive: true,
  });
});
