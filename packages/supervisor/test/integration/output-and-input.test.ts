/*
 * Every byte a run says, once and in order; every byte it is told, or an honest refusal (I1, I2, J1, J2, J3).
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Cursor, OutputEvent } from '@clawdfather/supervisor';
import { bytesOf, createRig, textOf, transports, untilOutput } from './rig.ts';

test('J1: 256 KiB that wait in a pipe when a run is cancelled are all in its output', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const block = 256 * 1024;
  /* On TERM it writes much more than a pipe holds, and only then ends. */
  const script = `trap 'head -c ${block} /dev/zero | tr "\\0" x; exit 0' TERM; echo ready; while :; do sleep 0.01; done`;
  const run = await supervisor.spawn(rig.sh(script));
  await untilOutput(run, 'ready\n');
  await run.cancel();
  const exit = await run.wait();
  /* The shell speaks of the signal on stderr. */
  const output = await bytesOf(run.output(), 'stdout');
  assert.equal(exit.reason, 'manual-cancel');
  assert.equal(exit.undrainedBytes, 0);
  assert.equal(output.length, 'ready\n'.length + block);
  assert.ok(output.subarray(6).every((byte) => byte === 0x78));
});

test('J1: a character cut between two reads arrives as the bytes it was', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  /* The euro sign, one byte at a time, each seen before the next is written. */
  const script =
    "printf '\\342'; read _; printf '\\202'; read _; printf '\\254'; printf '\\377\\000end'";
  const run = await supervisor.spawn(rig.sh(script));
  const pieces: Uint8Array[] = [];
  for await (const event of run.output()) {
    if (event.kind !== 'output') continue;
    pieces.push(event.bytes);
    if (pieces.length <= 2) await run.write('\n');
  }
  assert.deepEqual(pieces[0], Buffer.from([0xe2]));
  const expected = Buffer.concat([Buffer.from('€'), Buffer.from([0xff, 0x00]), Buffer.from('end')]);
  assert.deepEqual(Buffer.concat(pieces), expected);
});

for (const { name, input } of transports) {
  test(`J2: nothing is handed out after settlement (${name})`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const run = await supervisor.spawn(input(rig, 'echo first; sleep 0.05; echo last'));
    const seen: OutputEvent[] = [];
    let isSettled = false;
    let late = 0;
    const reading = (async () => {
      for await (const event of run.output()) {
        seen.push(event);
        if (isSettled) late += 1;
      }
    })();
    const exit = await run.wait();
    await reading;
    isSettled = true;
    const known = seen.length;
    assert.equal(late, 0);
    const again = [];
    for await (const event of run.output()) again.push(event);
    assert.equal(again.length, known);
    for await (const event of run.output(exit.cursor)) assert.fail(`after the end: ${event.kind}`);
    for await (const event of run.output(seen.at(-1)?.cursor)) assert.fail(`after: ${event.kind}`);
  });

  test(`J1: a reader that overtakes the writer in mid-frame gets every byte once (${name})`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    /* Raw, so that the terminal leaves the bytes alone. */
    const raw = name === 'terminal' ? 'stty raw -echo; ' : '';
    const script = `${raw}i=0; while [ $i -lt 400 ]; do head -c 9000 /dev/urandom; i=$((i+1)); done | tee copy | cat`;
    const run = await supervisor.spawn(input(rig, script));
    /* Three at once, of which one begins again at each cursor it is given. */
    const hashes = await Promise.all([hashOf(run.output()), hashOf(run.output()), hopping(run)]);
    assert.equal((await run.wait()).code, 0);
    const copy = await supervisor.spawn(rig.child(['cat', 'copy']));
    const expected = await hashOf(copy.output());
    assert.deepEqual(hashes, [expected, expected, expected]);
  });
}

async function hashOf(output: AsyncIterable<OutputEvent>): Promise<string> {
  const hash = createHash('sha256');
  for await (const event of output) if (event.kind === 'output') hash.update(event.bytes);
  return hash.digest('hex');
}

async function hopping(run: {
  output(cursor?: Cursor): AsyncIterable<OutputEvent>;
}): Promise<string> {
  const hash = createHash('sha256');
  let cursor: Cursor | undefined;
  for (let isOver = false; !isOver; ) {
    isOver = true;
    let count = 0;
    for await (const event of run.output(cursor)) {
      if (event.kind === 'output') hash.update(event.bytes);
      ({ cursor } = event);
      count += 1;
      isOver = count < 3;
      if (!isOver) break;
    }
  }
  return hash.digest('hex');
}

test('J3: a ring drops the oldest output, and a reader from the start sees the gap', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const script =
    'i=0; while [ $i -lt 64 ]; do head -c 8192 /dev/zero | tr "\\0" y; i=$((i+1)); done; printf end';
  const run = await supervisor.spawn(
    rig.sh(script, { journal: { mode: 'ring', bytesMax: 64 * 1024 } }),
  );
  await run.wait();
  const events: OutputEvent[] = [];
  for await (const event of run.output()) events.push(event);
  assert.equal(events[0]?.kind, 'gap');
  const text = events.flatMap((event) => (event.kind === 'output' ? [event.bytes] : []));
  assert.match(Buffer.concat(text).toString(), /^y+end$/);
});

test('J3: a held journal blocks the command instead of dropping output', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(
    rig.sh('head -c 1000000 /dev/zero; echo done >&2', {
      journal: { mode: 'hold', bytesMax: 64 * 1024 },
      overallTimeoutMs: 700,
    }),
  );
  const exit = await run.wait();
  assert.equal(exit.reason, 'overall-timeout');
  const events: OutputEvent[] = [];
  for await (const event of run.output()) events.push(event);
  assert.ok(
    events.every(({ kind }) => kind === 'output'),
    'no gap',
  );
});

test('I1: input to a command that has closed its stdin is refused, and kills nobody', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('exec <&-; echo closed; exec sleep 300'));
  await untilOutput(run, 'closed');
  await assert.rejects(run.write('x'.repeat(100_000)), { code: 'stdin-closed' });
  await assert.rejects(run.write('more', { durable: true }), { code: 'stdin-closed' });
  assert.equal(run.snapshot().state, 'running');
  await run.cancel();
  await run.wait();
  await assert.rejects(run.write('late'), { code: 'not-running' });
  await assert.rejects(run.write('late', { durable: true }), { code: 'not-running' });
  await assert.rejects(run.signal('SIGTERM'), { code: 'not-running' });
  await run.end();
  await run.resize({ cols: 80, rows: 24 });
});

test('I1: input that ends its command is answered, although the end comes over another socket', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const one = async (): Promise<void> => {
    const run = await supervisor.spawn(rig.sh('read _; exit 3'));
    await run.write('\n');
    assert.equal((await run.wait()).code, 3);
  };
  for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 12 }, one));
});

test('I1: a megabyte of input goes through a slow command whole, and ends with its end', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('sleep 0.1; exec sha256sum'));
  const bytes = Buffer.alloc(1_000_000, 'clawdfather ');
  await run.write(bytes.subarray(0, 600_000), { durable: true });
  await run.write(bytes.subarray(600_000), { durable: true });
  await run.end();
  assert.equal((await run.wait()).code, 0);
  const expected = createHash('sha256').update(bytes).digest('hex');
  assert.equal((await textOf(run)).slice(0, 64), expected);
});

test('I1: owner and operator write at offsets of one stream, and neither is taken twice', async (t) => {
  const rig = createRig(t);
  const owner = await rig.supervisor();
  const operator = await rig.supervisor();
  const run = await owner.spawn(rig.sh('exec cat'));
  const theirs = await operator.attach(run.runId);
  await run.write('one\n', { offset: 0 });
  await theirs.write('one\ntwo\n', { offset: 0 });
  await run.write('two\nthree\n', { offset: 4 });
  assert.equal(operator.inputOffset(run.runId), 14);
  await assert.rejects(theirs.write('late', { offset: 15 }), {
    code: 'input-gap',
    detail: { runId: run.runId, expected: 14 },
  });
  await run.write('four\n', { durable: true });
  await run.end();
  await run.wait();
  assert.equal(await textOf(run), 'one\ntwo\nthree\nfour\n');
});

test('I2: a terminal echoes, takes its size, and tells its program of a new one', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn({
    ...rig.pty('trap "stty size; exit 0" WINCH; stty size; echo up; while :; do sleep 0.02; done'),
    cols: 100,
    rows: 40,
  });
  await untilOutput(run, 'up');
  await run.resize({ cols: 90, rows: 20 });
  assert.equal((await run.wait()).code, 0);
  const events: OutputEvent[] = [];
  for await (const event of run.output()) events.push(event);
  assert.match(await textOf(run), /^40 100\r\nup\r\n20 90\r\n$/);
  const resized = events.findLast(({ kind }) => kind === 'resize');
  assert.deepEqual(resized?.kind === 'resize' && [resized.cols, resized.rows], [90, 20]);
});

test('I1: a transcript says in journal order what was accepted of the input, also from a cursor and after the end', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('read one; echo "$one"; read two; echo "$two"'));
  await run.write('one\n', { offset: 0 });
  await untilOutput(run, 'one\n');
  await run.write('two!\n', { offset: 4 });
  await run.wait();
  const told: (readonly [string, Cursor])[] = [];
  for await (const event of run.transcript()) {
    if (event.kind === 'accepted') told.push([`accepted ${event.inputOffset}`, event.cursor]);
    if (event.kind === 'output') told.push([Buffer.from(event.bytes).toString(), event.cursor]);
  }
  const words = ['accepted 4', 'one\n', 'accepted 9', 'two!\n'];
  assert.deepEqual(
    told.map(([word]) => word),
    words,
  );
  const rest: string[] = [];
  for await (const event of run.transcript(told[1]?.[1])) rest.push(event.kind);
  assert.deepEqual(rest, ['accepted', 'output']);
});

test('W4: only what has an offset gets to an agent; keys and the end of input are refused', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('read one; echo "$one"', { backendId: 'agent' }));
  const theirs = await (await rig.supervisor()).attach(run.runId);
  for (const handle of [run, theirs]) {
    await assert.rejects(handle.write('typed\n'), { code: 'input-refused' });
    await assert.rejects(handle.end(), { code: 'input-refused' });
  }
  await assert.rejects(run.write('x', { durable: true }), { code: 'input-refused' });
  await theirs.write('one\n', { offset: 0 });
  await run.wait();
  assert.equal(await textOf(run), 'one\n');
});
