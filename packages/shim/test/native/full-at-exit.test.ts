/*
 * A root that exits while the disk takes nothing (J4): what it wrote waits in its pipe for as long as nobody ends the run.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openSmallDisk, type SmallDisk } from '@clawdfather/testkit';
import { scanJournal } from '../../src/index.ts';
import { injecting, nativeTest, type Rig, until } from './rig.ts';
import type { Run } from './run.ts';

const text = Array.from({ length: 10_000 }, (_, index) => `${index + 1}\n`).join('');

interface Ended {
  readonly disk: SmallDisk;
  readonly run: Run;
}

/* The disk is full before the root writes, and an hour has passed since it exited. */
async function endOnFullDisk(rig: Rig): Promise<Ended> {
  const disk = openSmallDisk('size=1m');
  rig.defer(() => disk[Symbol.dispose]());
  const runDir = join(disk.path, 'run');
  mkdirSync(runDir, { mode: 0o700 });
  const link = await rig.newSpawnd({ env: rig.clockEnv });
  const change = { runDir, stdin: 'open' } as const;
  const run = await rig.run(['sh', '-c', 'read -r line; seq 1 10000; exit 3'], change, link);
  const { pid } = await run.started();
  const control = await rig.control(run);
  disk.fill();
  await control.request({ type: 'input', epoch: 1, offset: 0, bytes: Buffer.from('go\n') });
  await run.log.untilMatch((event) => event.type === 'blocked' && event.isBlocked);
  await until('the shim has seen it go', () => !existsSync(`/proc/${pid}`));
  rig.moveClock({ monotonicMs: 3_600_000 });
  const nothing = { type: 'deadlines', epoch: 1, overallMs: 'keep', noOutputMs: 'keep' } as const;
  for (let turn = 0; turn < 3; turn += 1) await control.request(nothing);
  assert.ok(!run.log.events.some((event) => event.type === 'exit' || event.type === 'end'));
  return { disk, run };
}

nativeTest(
  'J4: what a root wrote before its exit waits for room however long that takes, and none of it is lost',
  async (rig) => {
    const { disk, run } = await endOnFullDisk(rig);
    disk.relieve();
    const { exit } = await run.ended();
    assert.deepEqual([exit.code, exit.reason, exit.undrainedBytes], [3, 'exit', 0]);
    assert.equal((await run.output()).toString(), text);
  },
  { root: true, hooks: true },
);

nativeTest(
  'J4 T3: who ends a run whose last output waits gives that up; it is counted, and the root’s own end stands',
  async (rig) => {
    const { run } = await endOnFullDisk(rig);
    const control = await rig.control(run);
    const actor = 'somebody';
    await control.request({ type: 'terminate', epoch: 1, reason: 'manual-cancel', actor });
    const { exit, end } = await run.ended();
    assert.deepEqual(
      [exit.code, exit.reason, exit.undrainedBytes, end.isFinal],
      [3, 'exit', text.length, true],
    );
    assert.equal(scanJournal(run.request.runDir).exit?.undrainedBytes, text.length);
  },
  { root: true, hooks: true },
);

nativeTest(
  'T7: a disk that has turned read-only takes no record; how the run ended is told, and its shim goes',
  async (rig) => {
    const run = rig.runDirect(rig.request(['sh', '-c', 'echo lost; exit 3']), {
      wrap: injecting('writev:error=EROFS:when=3+'),
      env: rig.clockEnv,
    });
    const { shimPid, pid } = await run.started();
    await run.log.untilMatch((event) => event.type === 'blocked' && event.isBlocked);
    await until('the shim has seen it go', () => !existsSync(`/proc/${pid}`));
    rig.moveClock({ monotonicMs: 10_000 });
    const { exit, end } = await run.ended();
    assert.deepEqual([exit.code, exit.undrainedBytes, end.isFinal], [3, 'lost\n'.length, true]);
    await until('its shim is gone', () => !existsSync(`/proc/${shimPid}`));
    assert.equal(scanJournal(run.request.runDir).exit, undefined);
  },
  { programs: ['strace'], root: true, hooks: true },
);
