/*
 * Many readers of one run: every byte once and in order, whatever each reader does, and one journal reader for those that keep
 * up.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { createSeededRandom } from '@clawdfather/testkit';
import { createLiveHub } from '../../src/live/live-hub.ts';
import { openTestRuns, TestReader } from './fixtures.ts';

const line = 'all that a run says arrives once and in order, whoever reads it\n';

function sha256Of(text: string, times: number): string {
  const hash = createHash('sha256');
  for (let index = 0; index < times; index += 1) hash.update(text);
  return hash.digest('hex');
}

function saying(times: number): string {
  return `yes "$(printf '%s' '${line.trimEnd()}')" | head -n ${times}`;
}

test('readers from the beginning, from a cursor and after the end all have every byte', async () => {
  await using runs = await openTestRuns();
  const hub = createLiveHub(createSystemClock());
  const run = await runs.sh(saying(50_000));
  const first = new TestReader().follow(hub, run);
  await first.ended;
  assert.equal(first.sha256(), sha256Of(line, 50_000));
  const late = new TestReader().follow(hub, run);
  await late.ended;
  assert.equal(late.sha256(), first.sha256());
  const rest = new TestReader().follow(hub, run, first.cursor);
  await rest.ended;
  assert.equal(rest.bytes, 0);
  assert.deepEqual(hub.counts(), { runs: 0, readers: 0, readersBehind: 0 });
});

test('a reader that stops is overtaken, the other is not held up, and it resumes at the exact byte', async () => {
  await using runs = await openTestRuns();
  const hub = createLiveHub(createSystemClock());
  const count = 400_000;
  const run = await runs.sh(saying(count));
  const stopped = new TestReader(({ bytes, chunks }) => bytes > 100_000 && chunks % 8 === 0);
  stopped.follow(hub, run);
  const fast = new TestReader().follow(hub, run);
  await fast.ended;
  assert.equal(fast.sha256(), sha256Of(line, count));
  assert.ok(stopped.bytes < 2_000_000, `it took ${stopped.bytes} while it was full`);
  assert.deepEqual(hub.counts(), { runs: 0, readers: 1, readersBehind: 1 });
  let hasEnded = false;
  void stopped.ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    if (stopped.isFullNow) stopped.open();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(stopped.sha256(), fast.sha256());
  assert.equal(stopped.unasked, 0);
});

test('readers that stop at different places are overtaken one after the other and together', async () => {
  await using runs = await openTestRuns();
  const hub = createLiveHub(createSystemClock());
  const count = 400_000;
  const run = await runs.sh(saying(count));
  const stopped = [3, 3, 3, 4, 6, 6].map((at) =>
    new TestReader(({ chunks }) => chunks === at || chunks === at + 40).follow(hub, run),
  );
  const fast = new TestReader().follow(hub, run);
  await fast.ended;
  assert.equal(fast.sha256(), sha256Of(line, count));
  let open = stopped.length;
  for (const reader of stopped) void reader.ended.then(() => (open -= 1));
  while (open > 0) {
    for (const reader of stopped) if (reader.isFullNow) reader.open();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const reader of stopped) assert.equal(reader.sha256(), fast.sha256());
});

test('readers that stop and go at random, come late and start anywhere agree on every byte', async () => {
  await using runs = await openTestRuns();
  const hub = createLiveHub(createSystemClock());
  const random = createSeededRandom(7);
  const chance = (of: number): boolean => (random.bytes(1)[0] ?? 0) < 256 * of;
  const count = 100_000;
  const run = await runs.sh(saying(count));
  const readers: TestReader[] = [];
  let open = 0;
  const add = (likelihood: number): void => {
    open += 1;
    const reader = new TestReader(() => chance(likelihood)).follow(hub, run);
    reader.ended.then(
      () => (open -= 1),
      () => (open = Number.NaN),
    );
    readers.push(reader);
  };
  for (const likelihood of [0, 0.05, 0.3, 0.7, 0.95]) add(likelihood);
  let turns = 0;
  while (open > 0) {
    turns += 1;
    if (turns % 50 === 0 && readers.length < 20) add(0.5);
    for (const reader of readers) if (reader.isFullNow && chance(0.2)) reader.open();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(readers.map(({ ended }) => ended));
  const whole = sha256Of(line, count);
  for (const reader of readers) assert.equal(reader.sha256(), whole);
  assert.equal(hub.counts().readers, 0);
});

test('what comes together goes out together: a line a record is not a line a message', async () => {
  await using runs = await openTestRuns();
  const hub = createLiveHub(createSystemClock());
  const run = await runs.sh('i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done');
  await run.wait();
  const reader = new TestReader().follow(hub, run);
  await reader.ended;
  assert.ok(reader.bytes > 3000 * 6);
  assert.ok(reader.chunks < 30, `${reader.chunks} messages`);
});

test('a run that says little is heard at once, and a reader that leaves leaves nothing', async () => {
  await using runs = await openTestRuns();
  const hub = createLiveHub(createSystemClock());
  const run = await runs.sh('read a; echo "got $a"; read b');
  const heard = Promise.withResolvers<void>();
  const reader = new TestReader(() => {
    heard.resolve();
    return false;
  }).follow(hub, run);
  await run.write('x\n');
  await heard.promise;
  assert.equal(reader.bytes, 'got x\n'.length);
  assert.equal(hub.counts().runs, 1);
  reader.close();
  assert.deepEqual(hub.counts(), { runs: 0, readers: 0, readersBehind: 0 });
});

test('a cursor that is none is told to its reader alone', async () => {
  await using runs = await openTestRuns();
  const hub = createLiveHub(createSystemClock());
  const run = await runs.sh('echo hello; read a');
  const good = new TestReader().follow(hub, run);
  const bad = new TestReader().follow(hub, run, '1.zzzz' as never);
  await assert.rejects(bad.ended, { code: 'cursor-invalid' });
  await run.write('x\n');
  await good.ended;
  assert.equal(good.bytes, 'hello\n'.length);
});
