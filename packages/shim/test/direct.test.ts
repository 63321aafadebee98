/*
 * A shim started directly (S3), and idea 2 of ARCHITECTURE.md: the run outlives
 * whoever started it, however that one goes.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scanJournal, startShimDirect } from '../src/index.ts';
import { binaryPath, clock, createEventLog, createProcessRig } from './process-rig.ts';
import { isAlive, readAll, untilGone } from './process-rig.ts';

const options = { timeout: 60_000 };
const starterPath = fileURLToPath(new URL('fixtures/direct-starter.ts', import.meta.url));

test('a run without spawnd: started, then the end', options, async (t) => {
  const rig = createProcessRig(t);
  const log = createEventLog();
  const request = rig.request(['sh', '-c', 'echo direct; ulimit -n']);
  startShimDirect(request, { binaryPath, onEvent: log.onEvent });
  const { start } = await log.until('started');
  const { exit } = await log.until('end');
  assert.equal(exit.code, 0);
  const { output } = await readAll(request.runDir);
  assert.match(output.toString(), /^direct\n\d+\n$/);
  await untilGone(start.shimPid);
});

test('a failed claim is told, and nothing more comes', options, async (t) => {
  const rig = createProcessRig(t);
  const log = createEventLog();
  const request = rig.request(['true'], { runDir: '/no/such/directory' });
  const link = startShimDirect(request, { binaryPath, onEvent: log.onEvent });
  const error = await log.until('spawn-error');
  assert.equal(error.stage, 'claim');
  while (!link.isLost) await clock.sleep(1);
  assert.equal(log.events.length, 1);
});

test('the run goes on when its link is closed', options, async (t) => {
  const rig = createProcessRig(t);
  const log = createEventLog();
  const request = rig.request(['sh', '-c', 'read line; echo "late $line"'], { stdin: 'open' });
  const link = startShimDirect(request, { binaryPath, onEvent: log.onEvent });
  await log.until('started');
  link.close();
  const control = await rig.control(request.runDir);
  await control.input(Buffer.from('word\n'), { epoch: 1, offset: 0 });
  await untilGone(control.hello.shimPid);
  assert.equal((await readAll(request.runDir)).output.toString(), 'late word\n');
  assert.deepEqual(
    log.events.map((event) => event.type).filter((type) => type !== 'doorbell'),
    ['started'],
  );
});

for (const way of ['unref', 'kill'] as const) {
  const name = { unref: 'ends by itself after unref', kill: 'is killed with SIGKILL' }[way];
  test(`the run goes on when its starter ${name}`, options, async (t) => {
    const rig = createProcessRig(t);
    const runDir = rig.newRunDir();
    const starter = spawn(process.execPath, [...process.execArgv, starterPath, way, runDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: process.env,
    });
    // Listened for from the start: one that ends by itself may be gone as soon as its word is read.
    const exited = once(starter, 'exit');
    const [line] = (await once(starter.stdout, 'data')) as [Buffer];
    assert.equal(line.toString(), 'started\n');
    if (way === 'kill') starter.kill('SIGKILL');
    await exited;
    const pid = scanJournal(runDir).start?.pid;
    assert.ok(pid !== undefined && isAlive(pid));
    const control = await rig.control(runDir);
    assert.equal(control.hello.state, 'running');
  });
}

test('a request that cannot be put into a message starts nothing', options, (t) => {
  const rig = createProcessRig(t);
  const request = rig.request(['a\0b']);
  const deps = { binaryPath, onEvent: () => assert.fail('nothing was started') };
  assert.throws(() => startShimDirect(request, deps), { code: 'spawn-invalid' });
});
