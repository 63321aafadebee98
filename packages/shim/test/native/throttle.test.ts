/*
 * How fast output is journalled: one bucket for all runs of a file, which slows commands down and loses no byte.
 *
 * A slow machine takes longer than these look for, never less long.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeTest, type Rig } from './rig.ts';

const rate = { bytesPerSecond: 2_000_000, burstBytes: 100_000 };
const nsPerByte = 500n;
const bytes = 2_000_000;
/* What a shim reads before it waits, and what it takes out of the pipe when the command has ended. */
const unwaitedBytes = 262_144 + 2 * 262_144 + 65_536;

const zeros = (count: number): readonly [string, ...string[]] => [
  'head',
  '-c',
  `${count}`,
  '/dev/zero',
];
const bucketOf = (rig: Rig): string => join(rig.dir, 'bucket');
const paidAtNs = (rig: Rig): bigint => readFileSync(bucketOf(rig)).readBigUInt64LE(0);

nativeTest('a command that writes faster than its rate waits, and loses nothing', async (rig) => {
  const sinceNs = process.hrtime.bigint();
  const run = await rig.run(zeros(bytes), { rate: { file: bucketOf(rig), ...rate } });
  await run.ended();
  const tookMs = Number(process.hrtime.bigint() - sinceNs) / 1e6;
  assert.equal((await run.output()).length, bytes);
  const waited = ((bytes - rate.burstBytes - unwaitedBytes) / rate.bytesPerSecond) * 1_000;
  assert.ok(tookMs >= waited, `${tookMs} ms for what takes ${waited} at the least`);
  assert.ok(paidAtNs(rig) - sinceNs >= BigInt(bytes) * nsPerByte, 'and all of it was charged');
});

nativeTest('runs of one file share its rate', async (rig) => {
  const sinceNs = process.hrtime.bigint();
  const shared = { rate: { file: bucketOf(rig), ...rate } };
  const runs = await Promise.all([rig.run(zeros(bytes), shared), rig.run(zeros(bytes), shared)]);
  for (const run of runs) await run.ended();
  assert.ok(paidAtNs(rig) - sinceNs >= BigInt(2 * bytes) * nsPerByte);
});

nativeTest('a number of an earlier boot holds a run up for a moment at the most', async (rig) => {
  const farAhead = Buffer.alloc(8);
  farAhead.writeBigUInt64LE(2n ** 62n);
  writeFileSync(bucketOf(rig), farAhead, { mode: 0o600 });
  const run = await rig.run(['sh', '-c', 'echo one; echo two'], {
    rate: { file: bucketOf(rig), ...rate },
  });
  await run.ended();
  assert.equal((await run.output()).toString(), 'one\ntwo\n');
  assert.ok(paidAtNs(rig) < 2n ** 62n);
});

nativeTest('a run whose rate cannot be kept does not start', async (rig) => {
  const file = join(rig.dir, 'missing', 'bucket');
  const run = await rig.run(['true'], { rate: { file, ...rate } });
  const { stage } = await run.spawnError();
  assert.equal(stage, 'journal');
});

nativeTest('a run that stands back has its shim stand back with it', async (rig) => {
  const run = await rig.run(['sh', '-c', 'cut -d" " -f19 /proc/self/stat; exec sleep 600'], {
    nice: 7,
  });
  await run.says('7\n');
  const { shimPid } = await run.started();
  const stat = readFileSync(`/proc/${shimPid}/stat`, 'utf8');
  assert.equal(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16], '7');
});
