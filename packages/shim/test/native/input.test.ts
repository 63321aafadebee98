/*
 * What a command is told (I1): every byte once, in order, as fast as the command reads and no faster.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { nativeTest, until } from './rig.ts';
import { descriptorsOf } from './run.ts';

const open = { stdin: 'open' } as const;

nativeTest(
  'I1: bytes at an offset arrive once, whatever is sent again or too early',
  async (rig) => {
    const run = await rig.run(['cat'], open);
    await run.started();
    const control = await rig.control(run);
    const send = (text: string, offset: number) =>
      control.input(Buffer.from(text), { epoch: 1, offset });
    assert.equal((await send('hello ', 0)).inputOffset, 6);
    assert.equal((await send('hello ', 0)).inputOffset, 6);
    assert.equal((await send('lo world', 3)).inputOffset, 11);
    await assert.rejects(send('gap', 12), { refusal: 'gap' });
    assert.equal((await send('', 11)).inputOffset, 11);
    assert.equal((await send('\n', 11)).inputOffset, 12);
    await control.request({ type: 'eof', epoch: 1, offset: 12 });
    assert.equal((await run.ended()).exit.code, 0);
    assert.equal((await run.output()).toString(), 'hello world\n');
  },
);

nativeTest('I1: the journal knows how much was taken, and never what', async (rig) => {
  const run = await rig.run(['sha256sum'], open);
  await run.started();
  const control = await rig.control(run);
  await control.input(Buffer.from('canary-secret'), { epoch: 1, offset: 0 });
  await control.input(Buffer.from('typed-canary'), { epoch: 1, offset: 'typed' });
  await control.request({ type: 'eof', epoch: 1, offset: 'now' });
  await run.ended();
  const inputs = (await run.entries()).filter((entry) => entry.kind === 'input');
  assert.deepEqual(inputs.at(-1), { kind: 'input', offset: 13, typedBytes: 12, isEof: true });
  assert.equal(JSON.stringify(await run.entries()).includes('canary'), false);
});

nativeTest('I1: typed bytes are not counted in the stream', async (rig) => {
  const run = await rig.run(['cat'], open);
  await run.started();
  const control = await rig.control(run);
  await control.input(Buffer.from('ab'), { epoch: 1, offset: 0 });
  await control.input(Buffer.from('TYPED'), { epoch: 1, offset: 'typed' });
  assert.equal((await control.input(Buffer.from('cd'), { epoch: 1, offset: 2 })).inputOffset, 4);
  const later = await rig.control(run);
  assert.deepEqual([later.hello.inputOffset, later.hello.typedBytes], [4, 5]);
  await control.request({ type: 'eof', epoch: 1, offset: 4 });
  await run.ended();
  assert.equal((await run.output()).toString(), 'abTYPEDcd');
});

nativeTest('megabytes go in and come out through a command that is slow both ways', async (rig) => {
  const run = await rig.run(['dd', 'bs=1000', 'status=none'], open);
  await run.started();
  const control = await rig.control(run);
  const bytes = randomBytes(4 << 20);
  await control.input(bytes, { epoch: 1, offset: 0 });
  await control.request({ type: 'eof', epoch: 1, offset: bytes.length });
  await run.ended();
  const digest = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
  assert.equal(digest(await run.output()), digest(bytes));
});

nativeTest('a command that does not read holds up its sender alone', async (rig) => {
  const run = await rig.sh('read go; echo went; exec cat > /dev/null', open);
  await run.started();
  const slow = await rig.control(run);
  const other = await rig.control(run);
  await slow.input(Buffer.from('go\n'), { epoch: 1, offset: 0 });
  await run.says('went');
  const stopped = await rig.run(['sleep', '600'], open);
  await stopped.started();
  const full = await rig.control(stopped);
  let settled = false;
  const sending = full.input(Buffer.alloc(2 << 20), { epoch: 1, offset: 0 }).finally(() => {
    settled = true;
  });
  const failing = assert.rejects(sending);
  const beside = await rig.control(stopped);
  await beside.request({ type: 'deadlines', epoch: 1, overallMs: 'none', noOutputMs: 'none' });
  assert.equal(settled, false);
  await other.request({ type: 'eof', epoch: 1, offset: 'now' });
  await run.ended();
  await beside.request({ type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' });
  await stopped.ended();
  await failing;
});

nativeTest(
  'a command that closes its input: the sender is told, and the run goes on',
  async (rig) => {
    const run = await rig.sh('exec 0<&-; echo closed; exec sleep 600', open);
    await run.says('closed');
    const control = await rig.control(run);
    const sending = control.input(Buffer.alloc(1 << 20), { epoch: 1, offset: 0 });
    await assert.rejects(sending, { refusal: 'closed' });
    const after = await rig.control(run);
    assert.equal(after.hello.isStdinOpen, false);
    assert.equal(after.hello.state, 'running');
  },
);

nativeTest(
  'T4, I1: a sender that waits is released when the root goes and leftovers stay',
  async (rig) => {
    const run = await rig.sh('setsid sh -c "echo ready; exec sleep 600" & exec sleep 601', {
      ...open,
      leftovers: 'keep',
    });
    await run.says('ready');
    const waiting = await rig.control(run);
    const sending = waiting.input(Buffer.alloc(1 << 20), { epoch: 1, offset: 0 });
    const refused = assert.rejects(sending, { refusal: 'closed' });
    const control = await rig.control(run);
    await control.request({ type: 'signal', epoch: 1, number: 9, actor: 'me' });
    await refused;
  },
);

nativeTest('end of input twice is harmless, and nothing can follow it', async (rig) => {
  const run = await rig.sh('cat; exec sleep 600', open);
  await run.started();
  const control = await rig.control(run);
  await control.input(Buffer.from('all'), { epoch: 1, offset: 0 });
  await assert.rejects(control.request({ type: 'eof', epoch: 1, offset: 4 }), { refusal: 'gap' });
  await control.request({ type: 'eof', epoch: 1, offset: 3 });
  await control.request({ type: 'eof', epoch: 1, offset: 'now' });
  assert.equal((await control.input(Buffer.from('all'), { epoch: 1, offset: 0 })).inputOffset, 3);
  await assert.rejects(control.input(Buffer.from('more'), { epoch: 1, offset: 3 }), {
    refusal: 'closed',
  });
  await run.says('all');
});

nativeTest('a client that vanishes in the middle of a message harms nobody', async (rig) => {
  const run = await rig.run(['cat'], open);
  await run.started();
  for (let round = 0; round < 20; round += 1) {
    const control = await rig.control(run);
    /* Refused or cut short, whichever is first; after a close of one's own nobody answers. */
    control.input(randomBytes(100_000), { epoch: 99, offset: 'typed' }).catch(() => {});
    control.close();
  }
  const control = await rig.control(run);
  await control.input(Buffer.from('still here\n'), { epoch: 1, offset: 0 });
  await run.says('still here');
  const { shimPid } = await run.started();
  await until('the shim has forgotten them', () => socketsOf(shimPid) <= 3);
});

/* Its link, the socket it listens on, and one client. */
function socketsOf(pid: number): number {
  return [...descriptorsOf(pid).values()].filter((target) => target.startsWith('socket:')).length;
}
