/*
 * The program for the other kind of machine, in an emulator: it starts commands, keeps what they say, takes input, and ends them.
 *
 * The emulator refuses a clone that shares memory, so the program forks there (`CLF_FORKS`, as under the sanitizers), and refuses
 * to hand orphans over (`CLF_EMULATED`), so nothing here is about them. The rest is what is shipped. Commands are programs of this machine, which the kernel runs as ever.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { targetName } from '../../src/binary-names.ts';
import { isAlive, untilGone } from '../process-rig.ts';
import { buildOnce, nativeTest, type ProgramOptions, type Rig } from './rig.ts';

const arch = process.arch === 'arm64' ? 'x64' : 'arm64';
const cpu = process.arch === 'arm64' ? 'x86_64' : 'aarch64';
const emulator = `qemu-${cpu}`;

/* Without the compiler or its library, which is fetched with the first build, there is nothing to try. */
function reasonToSkip(): string | undefined {
  const script = fileURLToPath(new URL('../../build/build.ts', import.meta.url));
  const args = [script, '--variant=test', `--arch=${arch}`];
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return stderr.includes('No compiler') ? `needs a compiler and musl for ${cpu}` : undefined;
}

const skip = reasonToSkip();

function emulated(): ProgramOptions {
  buildOnce('test', arch);
  const url = new URL(`../../dist/${targetName('test', arch)}`, import.meta.url);
  return { wrap: [emulator], binaryPath: fileURLToPath(url) };
}

function foreignTest(name: string, body: (rig: Rig) => Promise<void>): void {
  const title = `${name} [${arch}]`;
  if (skip !== undefined) return void test(title, { skip });
  nativeTest(title, body, { variants: ['test'], programs: [emulator] });
}

foreignTest(
  'a run of spawnd: what it says is in the journal, and its code is told',
  async (rig) => {
    const link = await rig.newSpawnd(emulated());
    const run = await rig.run(['sh', '-c', 'seq 1 20000; echo no >&2; exit 3'], {}, link);
    const { exit, end } = await run.ended();
    assert.deepEqual([exit.code, exit.signal, exit.reason], [3, undefined, 'exit']);
    assert.deepEqual(end.killed, { pid: 0, pgid: 0, cgroup: 0 });
    const lines = (await run.output('stdout')).toString().trimEnd().split('\n');
    assert.deepEqual(
      lines,
      Array.from({ length: 20_000 }, (_, at) => String(at + 1)),
    );
    assert.equal((await run.output('stderr')).toString(), 'no\n');
  },
);

foreignTest('a run that was started directly takes input, to its end', async (rig) => {
  const run = rig.runDirect(rig.request(['cat'], { stdin: 'open' }), emulated());
  await run.started();
  const control = await rig.control(run);
  await control.input(Buffer.from('hello\n'), { epoch: 1, offset: 0 });
  await control.request({ type: 'eof', epoch: 1, offset: 6 });
  assert.equal((await run.ended()).exit.code, 0);
  assert.equal((await run.output()).toString(), 'hello\n');
});

foreignTest('ending a run ends its whole process group', async (rig) => {
  const link = await rig.newSpawnd(emulated());
  const script = 'sleep 600 & echo $!; exec sleep 600';
  const run = await rig.run(['sh', '-c', script], {}, link);
  const { pid } = await run.started();
  const background = Number(await run.untilOutput((seen) => seen.includes('\n')));
  assert.ok(isAlive(pid) && isAlive(background));
  const control = await rig.control(run);
  const ask = { type: 'terminate', epoch: 1, reason: 'manual-cancel', graceMs: 1_000 } as const;
  await control.request({ ...ask, actor: 'test' });
  const { exit } = await run.ended();
  assert.deepEqual([exit.signal, exit.reason], [constants.signals.SIGTERM, 'manual-cancel']);
  assert.ok(!isAlive(pid));
  // The emulator makes no process a subreaper: it was signalled with its group, and is a child of process 1 that may take a moment to die.
  await untilGone(background);
});

foreignTest('a terminal hands over every byte as it was, in both directions', async (rig) => {
  const link = await rig.newSpawnd(emulated());
  const script = 'stty raw -echo; echo ready; exec cat';
  const run = await rig.run(['sh', '-c', script], { pty: { cols: 80, rows: 24 } }, link);
  await run.says('ready');
  const control = await rig.control(run);
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
  await control.input(bytes, { epoch: 1, offset: 0 });
  const length = Buffer.byteLength('ready\n') + bytes.length;
  const output = await run.untilOutput((seen) => seen.length >= length);
  assert.deepEqual(output.subarray(-bytes.length), bytes);
});
