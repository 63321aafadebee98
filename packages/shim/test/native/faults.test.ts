/*
 * System calls that fail when they like (J1, J4): the shim under strace, which makes them. Whatever fails, no byte
 * is lost or doubled, and a run that cannot be begun says so and leaves nothing.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanJournal } from '../../src/index.ts';
import { injecting, nativeTest } from './rig.ts';
import type { Run } from './run.ts';

const needs = { programs: ['strace'], root: true } as const;

async function linesOf(run: Run): Promise<string> {
  return createHash('sha256')
    .update(await run.output('stdout'))
    .digest('hex');
}

function linesHash(count: number): string {
  const hash = createHash('sha256');
  for (let n = 1; n <= count; n += 1) hash.update(`${n}\n`);
  return hash.digest('hex');
}

nativeTest(
  'J4: an error of the disk at any write delays the journal and tears nothing',
  async (rig) => {
    let blocked = 0;
    for (const error of ['ENOSPC', 'EIO', 'EDQUOT']) {
      for (let when = 2; when <= 8; when += 1) {
        const fault = `writev:error=${error}:when=${when}..${when + 1}`;
        const run = rig.runDirect(rig.request(['seq', '1', '5000']), { wrap: injecting(fault) });
        const { exit, end } = await run.ended();
        assert.deepEqual([exit.code, exit.undrainedBytes, end.isFinal], [0, 0, true], fault);
        assert.equal(await linesOf(run), linesHash(5000), fault);
        blocked += run.log.events.some((event) => event.type === 'blocked') ? 1 : 0;
        assert.equal(scanJournal(run.request.runDir).state, 'readable', fault);
      }
    }
    assert.ok(blocked > 0, 'some of the faults were felt');
  },
  needs,
);

nativeTest(
  'J4: a journal that cannot take its first record starts nothing, and says why',
  async (rig) => {
    const fault = 'writev:error=ENOSPC:when=1';
    const run = rig.runDirect(rig.request(['true']), { wrap: injecting(fault) });
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.endFollows], ['journal', true]);
    const { exit } = await run.ended();
    assert.deepEqual([exit.reason, exit.stage], ['spawn-error', 'journal']);
  },
  needs,
);

nativeTest(
  'J1: where nothing can be allocated ahead, a frame cut by a full disk is finished and not repeated',
  async (rig) => {
    const disk = join(rig.dir, 'small');
    mkdirSync(disk);
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'mode=0700,size=10m', 'none', disk]);
    rig.defer(() => void spawnSync('umount', ['-l', disk]));
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(9 << 20));
    const runDir = join(disk, 'run');
    mkdirSync(runDir, { mode: 0o700 });
    const count = 1_000_000;
    const run = rig.runDirect(rig.request(['seq', '1', `${count}`], { runDir }), {
      wrap: injecting('fallocate:error=EOPNOTSUPP'),
    });
    await run.log.untilMatch((event) => event.type === 'blocked' && event.isBlocked);
    /* Records finish the frame that was begun, once there is room; then it is not offered again. */
    rmSync(ballast);
    const control = await rig.control(run);
    for (let epoch = 2; epoch < 6; epoch += 1) {
      const claim = { type: 'claim', epoch, generation: 1, pid: 1, startTicks: 1 } as const;
      await control.request({ ...claim, instance: 'heir' });
    }
    const { exit } = await run.ended();
    assert.deepEqual([exit.code, exit.undrainedBytes], [0, 0]);
    assert.equal(await linesOf(run), linesHash(count));
  },
  needs,
);

nativeTest(
  'a pipe, a socket or a clone that is refused is an error with a name, and leaves no process',
  async (rig) => {
    const cases = [
      ['pipe2:error=EMFILE:when=1', 'pipes'],
      ['pipe2:error=EMFILE:when=3', 'pipes'],
      ['pipe2:error=EMFILE:when=4', 'fork'],
      ['bind:error=EACCES:when=1', 'socket'],
      ['listen:error=EADDRINUSE:when=1', 'socket'],
      ['dup3:error=EMFILE:when=2', 'stdio'],
      ['chdir:error=EIO:when=1', 'cwd'],
    ] as const;
    for (const [fault, stage] of cases) {
      const asked = rig.request(['true'], { stdin: 'open' });
      const run = rig.runDirect(asked, { wrap: injecting(fault) });
      const error = await run.spawnError();
      assert.equal(error.stage, stage, fault);
      assert.equal((await run.ended()).exit.stage, stage, fault);
    }
  },
  { ...needs, variants: ['test'] },
);
