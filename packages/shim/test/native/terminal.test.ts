/*
 * Commands on a terminal (I2, E8): every byte as it was, its size, its end, and what the kernel drops.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DoorbellAnswer, OkAnswer } from '../../src/index.ts';
import { nativeTest, until } from './rig.ts';

const pty = { cols: 80, rows: 24 };

nativeTest('a terminal hands over every byte as it was, in both directions', async (rig) => {
  const run = await rig.sh('stty raw -echo; echo ready; exec cat', { pty });
  await run.says('ready');
  const control = await rig.control(run);
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
  await control.input(bytes, { epoch: 1, offset: 0 });
  const length = Buffer.byteLength('ready\n') + bytes.length;
  const output = await run.untilOutput((seen) => seen.length >= length);
  assert.deepEqual(output.subarray(-bytes.length), bytes);
});

nativeTest('the answer to a key comes with its echo, or soon without one', async (rig) => {
  const run = await rig.sh(
    'stty raw -echo; echo ready; dd bs=1 count=1 status=none; exec cat > /dev/null',
    { pty },
  );
  await run.says('ready');
  const control = await rig.control(run);
  const bells: DoorbellAnswer[] = [];
  await control.listen((bell) => bells.push(bell));
  const key = (): Promise<OkAnswer> =>
    control.input(Buffer.from('k'), { epoch: 1, offset: 'typed' });
  await key();
  await until('the echo was told of', () => bells.some(({ tail }) => tail !== undefined));
  assert.match((await run.output()).toString(), /k$/);
  await key();
  await Promise.all([key(), key(), key()]);
  assert.equal((await rig.control(run)).hello.typedBytes, 5);
});

nativeTest('J1: what a doorbell brings along is what the journal has there', async (rig) => {
  const run = await rig.sh('stty raw -echo; echo ready; exec dd bs=1 count=40 status=none', {
    pty,
  });
  await run.says('ready');
  const control = await rig.control(run);
  const bells: DoorbellAnswer[] = [];
  await control.listen((bell) => bells.push(bell));
  for (let count = 0; count < 40; count += 1) {
    const told = bells.length;
    await control.input(Buffer.from(String(count % 10)), { epoch: 1, offset: 'typed' });
    if (count < 39) await until('a doorbell', () => bells.length > told);
  }
  await run.ended();
  const journal = readFileSync(join(run.request.runDir, 'j-0000000000000000'));
  const withTail = bells.filter(({ tail }) => tail !== undefined);
  assert.ok(withTail.length > 0);
  for (const { journalLength, tail = Buffer.alloc(0) } of withTail) {
    assert.deepEqual(journal.subarray(journalLength - tail.length, journalLength), tail);
  }
});

nativeTest('I1: what is typed in a moment is one record of how much', async (rig) => {
  const run = await rig.sh('stty raw -echo; echo ready; exec head -c 50', { pty });
  await run.says('ready');
  const control = await rig.control(run);
  for (let count = 0; count < 50; count += 1) {
    await control.input(Buffer.from('k'), { epoch: 1, offset: 'typed' });
  }
  await run.ended();
  const inputs = (await run.entries()).filter((entry) => entry.kind === 'input');
  assert.equal(inputs.at(-1)?.typedBytes, 50, 'all of it is known at the end');
  assert.ok(inputs.length < 50, `${inputs.length} records`);
});

nativeTest(
  'a terminal’s lines end as terminals end them, and its size is the one asked for',
  async (rig) => {
    const run = await rig.sh('stty size; printf "a\\nb"; test -t 0 -a -t 1 -a -t 2 && echo tty', {
      pty: { cols: 132, rows: 43 },
    });
    await run.ended();
    assert.equal((await run.output()).toString(), '43 132\r\na\r\nbtty\r\n');
    assert.equal((await run.output('stderr')).length, 0);
  },
);

nativeTest('the command leads a session on the terminal, and gets a key’s signal', async (rig) => {
  const run = await rig.sh(
    'trap "echo got INT; exit 5" INT; echo ready; while :; do sleep 0.05; done',
    { pty },
  );
  await run.says('ready');
  const control = await rig.control(run);
  await control.input(Buffer.from('\x03'), { epoch: 1, offset: 'typed' });
  assert.equal((await run.ended()).exit.code, 5);
  assert.match((await run.output()).toString(), /got INT/);
});

nativeTest('a resize reaches the command, and the journal says where', async (rig) => {
  const script = 'trap "stty size; exit" WINCH; echo ready; while :; do sleep 0.05; done';
  const run = await rig.sh(script, { pty });
  await run.says('ready');
  const control = await rig.control(run);
  await control.request({ type: 'resize', epoch: 1, cols: 100, rows: 50 });
  await run.ended();
  const entries = await run.entries();
  assert.match((await run.output()).toString(), /50 100\r\n$/);
  const sizes = entries.filter((entry) => entry.kind === 'resize');
  assert.deepEqual(sizes, [
    { kind: 'resize', ...pty },
    { kind: 'resize', cols: 100, rows: 50 },
  ]);
});

nativeTest('a run on pipes has nothing to resize, and says so', async (rig) => {
  const run = await rig.run(['sleep', '600']);
  await run.started();
  const control = await rig.control(run);
  await assert.rejects(control.request({ type: 'resize', epoch: 1, cols: 1, rows: 1 }), {
    refusal: 'unsupported',
  });
});

nativeTest(
  'I2: a line longer than a terminal keeps is reported, also when it is sent in one go',
  async (rig) => {
    const run = await rig.sh('stty -echo; echo ready; read line; echo "got ${#line}"', { pty });
    await run.says('ready');
    const control = await rig.control(run);
    await control.input(Buffer.from(`${'x'.repeat(5000)}\n`), { epoch: 1, offset: 0 });
    await run.ended();
    assert.match((await run.output()).toString(), /got 4095/);
    const notes = (await run.entries()).filter((entry) => entry.kind === 'note');
    assert.deepEqual(
      notes.map((entry) => (entry.kind === 'note' ? entry.note : '')),
      ['line-too-long'],
    );
  },
);

nativeTest(
  'I2: a long line for a raw terminal arrives whole and is not complained about',
  async (rig) => {
    const run = await rig.sh('stty raw -echo; echo ready; head -c 100000 | sha256sum', { pty });
    await run.says('ready');
    const bytes = Buffer.alloc(100_000, 'long line ');
    const control = await rig.control(run);
    await control.input(bytes, { epoch: 1, offset: 0 });
    await run.ended();
    const digest = createHash('sha256').update(bytes).digest('hex');
    assert.match((await run.output()).toString(), new RegExp(digest));
    assert.equal(
      (await run.entries()).some((entry) => entry.kind === 'note'),
      false,
    );
  },
);

nativeTest('end of input on a terminal is its key, also in the middle of a line', async (rig) => {
  for (const text of ['a whole line\n', 'half a line', '']) {
    const run = await rig.sh('stty -echo; echo ready; cat; echo "end"', { pty });
    await run.says('ready');
    const control = await rig.control(run);
    await control.input(Buffer.from(text), { epoch: 1, offset: 0 });
    await control.request({ type: 'eof', epoch: 1, offset: text.length });
    assert.equal((await run.ended()).exit.code, 0);
    const seen = (await run.output()).toString();
    assert.equal(seen, `ready\r\n${text.replace('\n', '\r\n')}end\r\n`);
  }
});

nativeTest('E8: what a terminal held when the command went is not lost', async (rig) => {
  const lines = 2000;
  const script = `i=0; while [ $i -lt ${lines} ]; do echo "line $i"; i=$((i+1)); done`;
  for (let round = 0; round < 5; round += 1) {
    const run = await rig.sh(script, { pty });
    await run.ended();
    const seen = (await run.output()).toString().split('\r\n');
    assert.equal(seen.length, lines + 1);
    assert.equal(seen.at(-2), `line ${lines - 1}`);
  }
});

nativeTest(
  'E8: the journal says at which point of the output a terminal came and went',
  async (rig) => {
    const run = await rig.sh('echo before; read x; echo after; exec sleep 600', { pty });
    await run.says('before');
    const first = await rig.control(run);
    const second = await rig.control(run);
    const attach = { type: 'attach', epoch: 1, isAttached: true } as const;
    assert.equal((await first.request(attach)).answersQueries, true);
    assert.equal((await second.request(attach)).answersQueries, false);
    await second.input(Buffer.from('\n'), { epoch: 1, offset: 'typed' });
    await run.says('after');
    second.close();
    await first.request({ type: 'attach', epoch: 1, isAttached: false });
    /* The second's going is noticed when its connection closes, before or after the first's. */
    await run.untilEntry((entry) => entry.kind === 'note' && entry.fields['value'] === 0);
    const values = (await run.entries()).flatMap((entry) =>
      entry.kind === 'note' && entry.note === 'attached' ? [entry.fields['value']] : [],
    );
    assert.deepEqual(values, [1, 2, 1, 0]);
  },
);

nativeTest('E8: when a terminal leaves, those behind it move up', async (rig) => {
  const run = await rig.sh('echo ready; exec sleep 600', { pty });
  await run.says('ready');
  const attach = { type: 'attach', epoch: 1, isAttached: true } as const;
  const controls = [await rig.control(run), await rig.control(run), await rig.control(run)];
  const places: number[] = [];
  for (const control of controls) places.push((await control.request(attach)).terminalPlace);
  assert.deepEqual(places, [1, 2, 3]);
  await controls[1]?.request({ ...attach, isAttached: false });
  assert.equal((await controls[2]?.request(attach))?.terminalPlace, 2, 'asked again: moved up');
  await controls[0]?.request({ ...attach, isAttached: false });
  const last = await controls[2]?.request(attach);
  assert.deepEqual([last?.terminalPlace, last?.answersQueries], [1, true]);
  const left = (await run.entries()).flatMap((entry) =>
    entry.kind === 'note' && entry.note === 'attached' ? [entry.fields['left']] : [],
  );
  assert.deepEqual(left, [0, 0, 0, 2, 1]);
});

nativeTest(
  'T2: a command on a terminal has a moment for its own end before it is hung up',
  async (rig) => {
    const script = 'trap "echo clean; exit 4" TERM; echo ready; while :; do sleep 0.01; done';
    const run = await rig.sh(script, { pty, graceMs: 30_000 });
    await run.says('ready');
    const control = await rig.control(run);
    await control.request({ type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' });
    /* Under load it may be hung up first: then it ends by that, and still at once. */
    const { exit } = await run.ended();
    assert.ok(exit.code === 4 || exit.signal === 1);
  },
);

nativeTest(
  'T2: an interactive shell that ignores SIGTERM goes with its terminal',
  async (rig) => {
    const env = { PATH: '/usr/bin:/bin', PS1: 'ready> ' };
    const run = await rig.run(['bash', '--norc', '-i'], { pty, env, graceMs: 30_000 });
    await run.says('ready> ');
    const control = await rig.control(run);
    await control.request({ type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' });
    const { exit } = await run.ended();
    assert.equal(exit.reason, 'manual-cancel');
    assert.notEqual(exit.signal, 9);
  },
  { programs: ['bash'] },
);

nativeTest('an idle key’s signal goes to the foreground of the terminal', async (rig) => {
  const script =
    'set -m; trap "echo outer" USR1; sh -c \'trap "echo inner; exit 3" USR1; echo ready; while :; do sleep 0.05; done\'; echo "code $?"';
  const run = await rig.sh(script, { pty });
  await run.says('ready');
  const control = await rig.control(run);
  await control.request({ type: 'signal', epoch: 1, number: 10, actor: 'me' });
  await run.ended();
  assert.match((await run.output()).toString(), /inner\r\n(outer\r\n)?code 3/);
});
