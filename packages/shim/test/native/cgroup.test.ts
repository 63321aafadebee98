/*
 * Limits that only a cgroup can hold (E4), and its kill (T2): a real cgroup, or a clear refusal.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { encodeSpawn } from '../../src/wire/encode-spawn.ts';
import { startProgram } from '../../src/client/start-program.ts';
import { createFrameDecoder } from '../../src/wire/frame-decoder.ts';
import { parseAnswer } from '../../src/wire/parse-answer.ts';
import { spawnTags } from '../../src/wire/constants.ts';
import { untilGone } from '../process-rig.ts';
import { nativeTest, type Rig, until } from './rig.ts';

const { errno } = constants;
const noLimits = { memoryBytesMax: undefined, processesMax: undefined };

function pathIn(rig: Rig, name: string): string {
  return join(rig.fence.cgroupDir ?? '/nowhere', name);
}

nativeTest(
  'E4: limits on a cgroup that cannot be made fail at stage cgroup, and nothing runs',
  async (rig) => {
    const cgroup = { path: '/no/such/cgroup', memoryBytesMax: 1 << 20, processesMax: undefined };
    const ghost = join(rig.dir, 'ghost');
    const run = await rig.run(['touch', ghost], { cgroup });
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.errno], ['cgroup', errno.ENOENT]);
    assert.equal((await run.ended()).exit.stage, 'cgroup');
    assert.equal(existsSync(ghost), false);
  },
);

nativeTest(
  'E4: a directory that is no cgroup limits nothing, and is not taken for one',
  async (rig) => {
    const path = join(rig.dir, 'not-a-cgroup');
    const run = await rig.run(['true'], { cgroup: { path, ...noLimits } });
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.errno], ['cgroup', errno.EOPNOTSUPP]);
    await run.ended();
    assert.equal(existsSync(path), false, 'and is not left behind');
  },
);

nativeTest(
  'E4: a limit whose controller is not there is refused, not left out',
  async (rig) => {
    const parent = rig.fence.cgroupDir ?? '';
    if (readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8').includes('memory')) return;
    const cgroup = { path: pathIn(rig, 'run'), memoryBytesMax: 1 << 30, processesMax: undefined };
    const run = await rig.run(['true'], { cgroup });
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.errno], ['cgroup', errno.ENOENT]);
    await run.ended();
    assert.equal(existsSync(cgroup.path), false);
  },
  { cgroup2: true },
);

nativeTest('E4: limits without a cgroup are refused by the shim itself', async (rig) => {
  const request = rig.request(['true']);
  const frame = withField(encodeSpawn(request, 1), spawnTags.cgroupLimits, Buffer.alloc(16, 1));
  const { child, socket } = startProgram('spawnd', rig.deps());
  rig.defer(() => untilGone(child.pid ?? 0));
  const said: unknown[] = [];
  const decoder = createFrameDecoder();
  socket.on('data', (chunk: Buffer) => decoder.push(chunk, (wire) => said.push(parseAnswer(wire))));
  socket.write(frame);
  await until('it answers', () => said.length === 2);
  socket.destroy();
  const answer = said[1];
  assert.ok(typeof answer === 'object' && answer !== null && 'stage' in answer);
  assert.equal(answer.stage, 'request');
});

/* The same SPAWN with one field more. */
function withField(frame: Buffer, tag: number, value: Buffer): Buffer {
  const field = Buffer.alloc(6);
  field.writeUInt16LE(tag, 0);
  field.writeUInt32LE(value.length, 2);
  const longer = Buffer.concat([frame, field, value]);
  longer.writeUInt32LE(longer.length - 4, 0);
  return longer;
}

nativeTest(
  'a cgroup that is already there may be somebody else’s, and is not entered',
  async (rig) => {
    const path = pathIn(rig, 'taken');
    mkdirSync(path);
    const run = await rig.run(['true'], { cgroup: { path, ...noLimits } });
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.errno], ['cgroup', errno.EEXIST]);
    await run.ended();
    assert.ok(existsSync(path));
  },
  { cgroup2: true },
);

nativeTest(
  'T2: a run in a cgroup is killed as one, and its cgroup goes with it',
  async (rig) => {
    const path = pathIn(rig, 'run');
    const script =
      'trap "" TERM; (setsid sh -c "trap \\"\\" TERM; echo up; sleep 600" &); wait; sleep 601';
    const run = await rig.sh(script, { cgroup: { path, ...noLimits }, graceMs: 20 });
    await run.says('up');
    const { shimPid, pid } = await run.started();
    const inside = readFileSync(join(path, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
    assert.ok(inside.includes(`${pid}`));
    assert.equal(inside.includes(`${shimPid}`), false, 'the shim stays outside');
    const control = await rig.control(run);
    await control.request({ type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' });
    const { exit, end } = await run.ended();
    assert.deepEqual([exit.signal, end.killed.cgroup], [9, 1]);
    assert.equal(existsSync(path), false);
  },
  { cgroup2: true },
);

nativeTest(
  'a run in a cgroup that ends by itself takes its cgroup with it',
  async (rig) => {
    const path = pathIn(rig, 'run');
    const run = await rig.run(['true'], { cgroup: { path, ...noLimits } });
    const { exit, end } = await run.ended();
    assert.deepEqual([exit.code, exit.reason, end.killed.cgroup], [0, 'exit', 0]);
    assert.equal(existsSync(path), false);
  },
  { cgroup2: true },
);

nativeTest(
  'E4: a death by SIGKILL is out of memory only if the kernel says so',
  async (rig) => {
    const path = pathIn(rig, 'run');
    const run = await rig.sh('kill -KILL $$', { cgroup: { path, ...noLimits } });
    assert.equal((await run.ended()).exit.reason, 'signal');
  },
  { cgroup2: true },
);
