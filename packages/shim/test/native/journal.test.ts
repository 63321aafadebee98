/*
 * The journal's writer (J1, J3, J4): segments, caps, and disks that are full of bytes or of files.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { SpawnRequest } from '../../src/index.ts';
import { openJournalReader, scanJournal } from '../../src/index.ts';
import { nativeTest, type Rig, until } from './rig.ts';
import type { Run } from './run.ts';

const { errno } = constants;

/* More than pipes and buffers take together, so the command waits for the disk. */
const lineCount = 1_000_000;

/* A file system of its own for run directories. */
function mountSmall(rig: Rig, options: string): string {
  const dir = join(rig.dir, 'small');
  mkdirSync(dir);
  const result = spawnSync('mount', ['-t', 'tmpfs', '-o', `mode=0700,${options}`, 'none', dir]);
  assert.equal(result.status, 0, result.stderr.toString());
  rig.defer(() => void spawnSync('umount', ['-l', dir]));
  return dir;
}

function runDirIn(parent: string, name = 'run'): string {
  const dir = join(parent, name);
  mkdirSync(dir, { mode: 0o700 });
  return dir;
}

/* Numbered lines, so that a lost, doubled or torn byte shows. */
const lines = (count: number): readonly [string, ...string[]] => ['seq', '1', `${count}`];
const linesHash = (count: number): string => {
  const hash = createHash('sha256');
  for (let n = 1; n <= count; n += 1) hash.update(`${n}\n`);
  return hash.digest('hex');
};
const hashOf = async (run: Run): Promise<string> =>
  createHash('sha256')
    .update(await run.output())
    .digest('hex');

const blockedEvent = (isBlocked: boolean) => (event: { type: string; isBlocked?: boolean }) =>
  event.type === 'blocked' && event.isBlocked === isBlocked;

nativeTest(
  'J4: a full disk blocks the command, says so, and loses no byte once there is room',
  async (rig) => {
    const disk = mountSmall(rig, 'size=10m');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(9 << 20));
    const run = await rig.run(lines(lineCount), { runDir: runDirIn(disk) });
    const blocked = await run.log.untilMatch(blockedEvent(true));
    assert.ok(blocked.type === 'blocked' && blocked.errno === errno.ENOSPC);
    const control = await rig.control(run);
    assert.deepEqual([control.hello.isBlocked, control.hello.state], [true, 'running']);
    rmSync(ballast);
    await run.log.untilMatch(blockedEvent(false));
    const { exit } = await run.ended();
    assert.deepEqual([exit.code, exit.undrainedBytes], [0, 0]);
    assert.equal(await hashOf(run), linesHash(lineCount));
    const notes = (await run.entries()).filter((entry) => entry.kind === 'note');
    assert.ok(notes.some((entry) => entry.kind === 'note' && entry.note === 'unblocked'));
  },
  { root: true },
);

nativeTest(
  'J4: on a full disk the records still fit, and count what did not',
  async (rig) => {
    const disk = mountSmall(rig, 'size=512k');
    const link = await rig.newSpawnd({ env: rig.clockEnv });
    const run = await rig.run(['yes'], { runDir: runDirIn(disk), graceMs: 50 }, link);
    await run.log.untilMatch(blockedEvent(true));
    const control = await rig.control(run);
    /* An actor that is as long as it may be, and six times as long in JSON. */
    const actor = '\u0001'.repeat(127);
    await control.request({ type: 'terminate', epoch: 1, reason: 'manual-cancel', actor });
    /* So long a full disk may hold back the record of an exit. */
    const { pid } = await run.started();
    await until('the shim has seen it go', () => !existsSync(`/proc/${pid}`));
    rig.moveClock({ monotonicMs: 10_000 });
    const { exit, end } = await run.ended();
    assert.deepEqual([exit.signal, exit.reason, end.isFinal], [15, 'manual-cancel', true]);
    assert.ok(exit.undrainedBytes > 0);
    const scan = scanJournal(run.request.runDir);
    assert.deepEqual([scan.state, scan.end?.isFinal], ['readable', true]);
    assert.equal(scan.exit?.undrainedBytes, exit.undrainedBytes);
  },
  { root: true, hooks: true },
);

nativeTest(
  'J4: on a full disk a claim is taken, and journalled before anything that comes later',
  async (rig) => {
    const disk = mountSmall(rig, 'size=10m');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(9 << 20));
    const run = await rig.run(lines(lineCount), { runDir: runDirIn(disk) });
    await run.log.untilMatch(blockedEvent(true));
    const control = await rig.control(run);
    for (let epoch = 2; epoch < 40; epoch += 1) {
      const claim = { type: 'claim', epoch, generation: epoch, pid: 1, startTicks: 1 } as const;
      await control.request({ ...claim, instance: 'x'.repeat(60) });
    }
    rmSync(ballast);
    await run.ended();
    assert.equal(scanJournal(run.request.runDir).epoch, 39);
    assert.equal(await hashOf(run), linesHash(lineCount));
  },
  { root: true },
);

nativeTest(
  'J4: silence while the disk is full is not the command’s',
  async (rig) => {
    const disk = mountSmall(rig, 'size=10m');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(9 << 20));
    const link = await rig.newSpawnd({ env: rig.clockEnv });
    const change = { runDir: runDirIn(disk), noOutputMs: 60_000 };
    const run = await rig.run(lines(lineCount), change, link);
    await run.log.untilMatch(blockedEvent(true));
    const control = await rig.control(run);
    rig.moveClock({ monotonicMs: 3_600_000 });
    const nothing = { type: 'deadlines', epoch: 1, overallMs: 'keep', noOutputMs: 'keep' } as const;
    for (let turn = 0; turn < 3; turn += 1) await control.request(nothing);
    assert.equal((await rig.control(run)).hello.state, 'running');
    rmSync(ballast);
    assert.equal((await run.ended()).exit.reason, 'exit');
    assert.equal(await hashOf(run), linesHash(lineCount));
  },
  { root: true, hooks: true },
);

nativeTest(
  'J4: a disk without files left: no new segment, no lost byte',
  async (rig) => {
    const disk = mountSmall(rig, 'size=8m,nr_inodes=6');
    const runDir = runDirIn(disk);
    const fillers = fillInodes(disk, 1);
    const run = await rig.run(lines(20_000), {
      runDir,
      journal: { mode: 'ring', bytesMax: 4 << 20, segmentBytes: 16 << 10 },
    });
    const blocked = await run.log.untilMatch(blockedEvent(true));
    assert.ok(blocked.type === 'blocked' && blocked.errno === errno.ENOSPC);
    for (const path of fillers) rmSync(path);
    spawnSync('mount', ['-o', 'remount,nr_inodes=100', disk]);
    assert.equal((await run.ended()).exit.code, 0);
    assert.equal(await hashOf(run), linesHash(20_000));
    assert.ok(readdirSync(runDir).length > 3);
  },
  { root: true },
);

/* Leaves room for the journal and the socket. */
function fillInodes(disk: string, files: number): readonly string[] {
  return Array.from({ length: files }, (_, n) => {
    const path = join(disk, `filler-${n}`);
    writeFileSync(path, '');
    return path;
  });
}

nativeTest(
  'J4: a disk without room for a claim starts nothing, and one without a socket records why',
  async (rig) => {
    const disk = mountSmall(rig, 'size=1m,nr_inodes=5');
    const runDir = runDirIn(disk);
    const fillers = fillInodes(disk, 3);
    const none = await rig.run(['true'], { runDir });
    const error = await none.spawnError();
    assert.deepEqual([error.stage, error.errno, error.endFollows], ['claim', errno.ENOSPC, false]);
    rmSync(fillers[0]!);
    const half = await rig.run(['true'], { runDir });
    const socket = await half.spawnError();
    assert.deepEqual(
      [socket.stage, socket.errno, socket.endFollows],
      ['socket', errno.ENOSPC, true],
    );
    const { exit, end } = await half.ended();
    assert.deepEqual([exit.stage, end.isFinal], ['socket', true]);
  },
  { root: true },
);

nativeTest('J3: a segment is closed when it is full, and frames do not span two', async (rig) => {
  const run = await rig.run(lines(50_000), {
    journal: { mode: 'ring', bytesMax: 64 << 20, segmentBytes: 8 << 10 },
  });
  await run.ended();
  const { runDir } = run.request;
  const segments = readdirSync(runDir).filter((name) => name.startsWith('j-'));
  assert.ok(segments.length > 10);
  let base = 0;
  for (const name of segments.sort()) {
    assert.equal(name, `j-${base.toString(16).padStart(16, '0')}`);
    const { size, blocks } = statSync(join(runDir, name));
    assert.ok(size <= (8 << 10) + 4096 && blocks * 512 <= 16 << 10, 'what was kept is given back');
    base += size;
  }
  assert.equal(await hashOf(run), linesHash(50_000));
});

nativeTest(
  'J3: a ring keeps the newest, and what is gone is a gap and nothing else',
  async (rig) => {
    const journal = { mode: 'ring', bytesMax: 64 << 10, segmentBytes: 16 << 10 } as const;
    const run = await rig.run(lines(100_000), { journal });
    await run.ended();
    const { runDir } = run.request;
    const bytes = readdirSync(runDir).reduce(
      (sum, name) => sum + statSync(join(runDir, name)).size,
      0,
    );
    assert.ok(bytes <= (64 << 10) + 4096);
    const kept = (await run.output()).toString();
    const expected = Array.from({ length: 100_000 }, (_, n) => `${n + 1}\n`).join('');
    assert.ok(kept.length > 30_000 && expected.endsWith(kept));
    assert.ok(scanJournal(runDir).oldestOffset > 0);
  },
);

nativeTest('J3: records alone do not let a journal grow past its cap', async (rig) => {
  const journal = { mode: 'ring', bytesMax: 16 << 10, segmentBytes: 4 << 10 } as const;
  const run = await rig.run(['cat'], { stdin: 'open', journal });
  await run.started();
  const control = await rig.control(run);
  for (let n = 0; n < 500; n += 1) {
    await control.request({ type: 'signal', epoch: 1, number: 23, actor: 'nobody minds' });
  }
  const { runDir } = run.request;
  const bytes = readdirSync(runDir).reduce(
    (sum, name) => sum + statSync(join(runDir, name)).size,
    0,
  );
  assert.ok(bytes <= 20 << 10, `${bytes} bytes`);
});

const hold = (bytesMax: number, segmentBytes: number): Partial<SpawnRequest> => ({
  journal: { mode: 'hold', bytesMax, segmentBytes },
});

nativeTest(
  'J3: a held journal blocks at its cap, goes on at once when it is consumed, and loses nothing',
  async (rig) => {
    const count = 40_000;
    const hash = createHash('sha256');
    const run = await rig.run(lines(count), hold(64 << 10, 16 << 10));
    const control = await rig.control(await startedRun(run));
    const ended = run.ended();
    let at = { offset: 0, payloadOffset: 0 };
    await using reader = openJournalReader(run.request.runDir, { shimAlive: () => true });
    const first = await run.log.untilMatch(blockedEvent(true));
    assert.ok(first.type === 'blocked' && first.errno === errno.ENOBUFS);
    for (let isClosed = false; !isClosed; ) {
      const from = run.log.events.length;
      const read = await reader.read(at);
      assert.notEqual(read.kind, 'gap');
      if (read.kind === 'frames') {
        for (const frame of read.frames) if (frame.kind === 'output') hash.update(frame.payload);
        at = read.next;
        if (at.payloadOffset === 0) {
          await control.request({ type: 'consumed', epoch: 1, offset: at.offset }).catch(() => {});
        }
      } else if (read.kind === 'closed') {
        isClosed = true;
      } else {
        await Promise.race([ended, eventAfter(run, from)]);
      }
    }
    assert.equal(hash.digest('hex'), linesHash(count));
  },
);

async function startedRun(run: Run): Promise<Run> {
  await run.started();
  return run;
}

/* An event after the first `from` ones: what was counted before looking cannot be missed. */
async function eventAfter(run: Run, from: number): Promise<void> {
  await run.log.untilMatch((event) => run.log.events.indexOf(event) >= from);
}

nativeTest(
  'J3: consuming does not wait for the next look at the disk',
  async (rig) => {
    const link = await rig.newSpawnd({ env: rig.clockEnv });
    const run = await rig.run(lines(40_000), hold(64 << 10, 16 << 10), link);
    await run.log.untilMatch(blockedEvent(true));
    const control = await rig.control(run);
    /* An hour back: by its clock the shim would not look again for an hour. */
    rig.moveClock({ monotonicMs: -3_600_000 });
    const offset = scanJournal(run.request.runDir).endOffset;
    await control.request({ type: 'consumed', epoch: 1, offset });
    await run.log.untilMatch(blockedEvent(false));
  },
  { hooks: true },
);

nativeTest(
  'J3: what waits in the pipe when a held run ends is taken whatever the cap',
  async (rig) => {
    const run = await rig.sh('trap "" TERM; seq 1 200000; echo never', {
      ...hold(32 << 10, 8 << 10),
      graceMs: 10,
    });
    await run.log.untilMatch(blockedEvent(true));
    const control = await rig.control(run);
    await control.request({ type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' });
    const { exit } = await run.ended();
    assert.equal(exit.undrainedBytes, 0);
    const text = (await run.output()).toString();
    const expected = Array.from({ length: 200_000 }, (_, n) => `${n + 1}\n`).join('');
    assert.ok(text.length > 64 << 10 && expected.startsWith(text));
  },
);

nativeTest(
  'J3: a held journal whose cap is as small as a segment still takes everything',
  async (rig) => {
    const run = await rig.run(lines(40_000), hold(4096, 4096));
    const control = await rig.control(await startedRun(run));
    const isOver = () => run.log.events.some((event) => event.type === 'end');
    while (!isOver()) {
      const from = run.log.events.length;
      const offset = scanJournal(run.request.runDir).endOffset;
      /* It may end, or let a segment go, while it is asked. */
      await control.request({ type: 'consumed', epoch: 1, offset }).catch(() => {});
      await Promise.race([run.ended(), eventAfter(run, from)]);
    }
    const { exit } = await run.ended();
    assert.deepEqual([exit.code, exit.undrainedBytes], [0, 0]);
  },
);

nativeTest('J3: nobody can declare consumed what is not written yet', async (rig) => {
  const run = await rig.run(['sleep', '600'], hold(64 << 10, 16 << 10));
  await run.started();
  const control = await rig.control(run);
  const ahead = { type: 'consumed', epoch: 1, offset: 1_000_000 } as const;
  await assert.rejects(control.request(ahead), { refusal: 'bad-message' });
});

nativeTest('J1: nothing follows the final end, whoever still speaks to the shim', async (rig) => {
  const run = await rig.run(['true'], { pty: { cols: 80, rows: 24 }, graceMs: 10 });
  await run.started();
  const control = await rig.control(run).catch(() => undefined);
  await control?.request({ type: 'attach', epoch: 1, isAttached: true }).catch(() => {});
  await run.ended();
  control?.close();
  const kinds = (await run.entries()).map((entry) => entry.kind);
  assert.equal(kinds.at(-1), 'end');
});

nativeTest(
  'J1: output in pieces of every size is one stream, split characters and all',
  async (rig) => {
    const text = 'aé漢\u{1f600}'.repeat(997);
    const bytes = Buffer.from(text);
    const path = join(rig.dir, 'text');
    writeFileSync(path, bytes);
    const script = `dd if=${path} bs=1 count=500 status=none; tail -c +501 ${path} | dd bs=7 status=none`;
    const run = await rig.sh(script);
    await run.ended();
    assert.deepEqual(await run.output('stdout'), bytes);
  },
);
