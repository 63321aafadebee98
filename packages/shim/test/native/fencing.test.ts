/*
 * Who may say what to a shim (O3, O4, O5, E2, E7): epochs, cookies, users, and a socket that somebody removes.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { unlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openControl } from '../../src/index.ts';
import type { Command } from '../../src/index.ts';
import { clock } from '../process-rig.ts';
import { answerTypes } from '../../src/wire/constants.ts';
import { encodeCommand } from '../../src/wire/encode-command.ts';
import { createFrameDecoder } from '../../src/wire/frame-decoder.ts';
import { nativeTest, until } from './rig.ts';
import { descriptorsOf } from './run.ts';
import { runDirOf, spawndOf } from './users.ts';

const idle = ['sleep', '600'] as const;

nativeTest(
  'O3: an older epoch is refused for every command there is, and changes nothing',
  async (rig) => {
    const run = await rig.run(['cat'], { stdin: 'open', epoch: 5, pty: { cols: 80, rows: 24 } });
    await run.started();
    const control = await rig.control(run);
    const claim = { type: 'claim', generation: 1, pid: process.pid, startTicks: 0 } as const;
    await control.request({ ...claim, epoch: 6, instance: 'heir' });
    const stale = (epoch: number): readonly Command[] => [
      { ...claim, epoch, instance: 'ghost' },
      { type: 'deadlines', epoch, overallMs: 1, noOutputMs: 1 },
      { type: 'policy', epoch, ownerLoss: 'kill', leftovers: 'end' },
      { type: 'release', epoch },
      { type: 'input', epoch, offset: 0, bytes: Buffer.from('ghost') },
      { type: 'input', epoch, offset: 'typed', bytes: Buffer.from('ghost') },
      { type: 'eof', epoch, offset: 'now' },
      { type: 'resize', epoch, cols: 1, rows: 1 },
      { type: 'signal', epoch, number: 9, actor: 'ghost' },
      { type: 'terminate', epoch, reason: 'manual-cancel', actor: 'ghost' },
      { type: 'consumed', epoch, offset: 0 },
      { type: 'attach', epoch, isAttached: true },
    ];
    for (const command of [...stale(5), ...stale(0)]) {
      await assert.rejects(control.request(command), { refusal: 'stale-epoch' }, command.type);
    }
    /* Not even a claim of the same epoch, and nothing of a newer one that nobody claimed. */
    await assert.rejects(control.request({ ...claim, epoch: 6, instance: 'twin' }));
    await assert.rejects(control.request({ type: 'release', epoch: 7 }), {
      refusal: 'stale-epoch',
    });
    const { hello } = await rig.control(run);
    assert.deepEqual([hello.epoch, hello.inputOffset, hello.typedBytes], [6, 0, 0]);
    assert.equal(hello.state, 'running');
    const claims = (await run.entries()).filter((entry) => entry.kind === 'claim');
    assert.deepEqual(
      claims.map((entry) => (entry.kind === 'claim' ? entry.claim.instance : '')),
      ['heir'],
    );
  },
);

nativeTest(
  'O4: whoever knows the epoch may operate a run, and is named in its records',
  async (rig) => {
    const run = await rig.run(idle);
    await run.started();
    const operator = await rig.control(run);
    const { epoch } = operator.hello;
    await operator.request({ type: 'terminate', epoch, reason: 'manual-cancel', actor: '' });
    const { exit } = await run.ended();
    const uid = process.getuid?.() ?? 0;
    assert.equal(exit.actor, `uid:${uid} pid:${process.pid}`);
  },
);

nativeTest(
  'O4: an actor of any length and any bytes stays readable in every record',
  async (rig) => {
    const actors = [
      '\u0001'.repeat(127),
      '"quoted" \\ and\nbroken',
      'Zoë \u{1f600}',
      '🎩'.repeat(31),
    ];
    for (const actor of actors) {
      const run = await rig.run(idle);
      await run.started();
      const control = await rig.control(run);
      const ask = { type: 'terminate', epoch: 1, reason: 'manual-cancel' } as const;
      await assert.rejects(control.request({ ...ask, actor: 'x'.repeat(128) }), {
        refusal: 'bad-message',
      });
      await control.request({ ...ask, actor });
      const { exit, end } = await run.ended();
      assert.deepEqual([exit.actor, end.actor], [actor, actor]);
      const note = (await run.entries()).find((entry) => entry.kind === 'note');
      assert.ok(note?.kind === 'note' && note.fields['actor'] === actor);
    }
  },
);

nativeTest(
  'E7: a wrong cookie, a wrong version and a message before AUTH are turned away',
  async (rig) => {
    const run = await rig.run(idle);
    await run.started();
    const { runDir } = run.request;
    await assert.rejects(openControl(runDir, Buffer.alloc(16), { clock }), {
      refusal: 'bad-cookie',
    });
    const answers = async (bytes: Buffer): Promise<number> => {
      const socket = connect(join(runDir, 's'));
      socket.on('error', () => {});
      socket.write(bytes);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      await new Promise((resolve) => socket.once('close', resolve));
      const answer = Buffer.concat(chunks);
      return answer.length === 0 ? 0 : answer.readUInt16LE(12);
    };
    const { cookie } = run.request;
    assert.equal(await answers(encodeCommand({ type: 'auth', cookie, version: 2 }, 1)), 3);
    assert.equal(await answers(encodeCommand({ type: 'watch' }, 1)), 1);
    assert.equal(await answers(Buffer.from('GET / HTTP/1.1\r\n\r\n')), 1);
    /*
     * Before AUTH nobody makes the shim hold more than an AUTH. Sent as one piece of the kernel's: a longer one is still being
     * written when the shim closes, and Node gives a broken write precedence over an answer that is there to be read.
     */
    const long = Buffer.alloc(4_096, 1);
    long.writeUInt32LE(69_000, 0);
    assert.equal(await answers(long), 1);
    assert.equal((await rig.control(run)).hello.state, 'running');
  },
);

nativeTest(
  'E7: another user is turned away, even where the directory lets it in',
  async (rig) => {
    const run = await rig.run(idle);
    await run.started();
    const { runDir, cookie } = run.request;
    chmodSync(rig.dir, 0o755);
    chmodSync(runDir, 0o755);
    chmodSync(join(runDir, 's'), 0o777);
    const frame = encodeCommand({ type: 'auth', cookie }, 1).toString('hex');
    const script = `const s = require('node:net').connect(${JSON.stringify(join(runDir, 's'))});
    let got = 0; s.on('data', (d) => { got += d.length; }); s.on('error', () => {});
    s.on('close', () => process.stdout.write('got ' + got));
    s.write(Buffer.from('${frame}', 'hex')); setTimeout(() => s.end(), 2000).unref();`;
    const tell = async (uid: number): Promise<string> => {
      const child = spawn(process.execPath, ['-e', script], { uid, gid: uid, cwd: '/' });
      const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      return said;
    };
    assert.equal(await tell(64_040), 'got 0');
    /* How an unmapped user of a container looks. */
    assert.equal(await tell(65_534), 'got 0');
  },
  { root: true },
);

nativeTest(
  'E7: the overflow user is refused even by a shim that runs as it',
  async (rig) => {
    const nobody = 65_534;
    const link = await spawndOf(rig, nobody);
    const run = await rig.run(['sleep', '600'], { runDir: runDirOf(rig, nobody) }, link);
    await run.started();
    /* Root may: that is how it is ended. */
    assert.equal((await rig.control(run)).hello.state, 'running');
  },
  { root: true, programs: ['setpriv'] },
);

nativeTest('E7: the socket is for its user alone', async (rig) => {
  const run = await rig.run(idle);
  await run.started();
  assert.equal(statSync(join(run.request.runDir, 's')).mode & 0o777, 0o700);
});

nativeTest(
  'E2: a socket that was removed or replaced is there again at the next look',
  async (rig) => {
    const link = await rig.newSpawnd({ env: rig.clockEnv });
    const run = await rig.run(idle, {}, link);
    await run.started();
    const socket = join(run.request.runDir, 's');
    const before = statSync(socket).ino;
    unlinkSync(socket);
    rig.moveClock({ monotonicMs: 40_000 });
    await until('the socket is back', () => existsSync(socket));
    assert.equal((await rig.control(run)).hello.state, 'running');
    renameSync(socket, `${socket}-moved`);
    writeFileSync(socket, 'in the way');
    rig.moveClock({ monotonicMs: 80_000 });
    await until('the socket is back', () => statSync(socket).isSocket());
    assert.notEqual(statSync(socket).ino, before);
    assert.equal((await rig.control(run)).hello.state, 'running');
  },
  { hooks: true },
);

nativeTest('E2: a run directory with a very long path has a socket like any other', async (rig) => {
  const runDir = join(rig.dir, ...Array.from({ length: 12 }, () => 'd'.repeat(80)));
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const run = await rig.run(idle, { runDir });
  await run.started();
  assert.equal((await rig.control(run)).hello.state, 'running');
});

nativeTest(
  'a peer that connects and says nothing is dropped, and sixty-four are not too many',
  async (rig) => {
    const link = await rig.newSpawnd({ env: rig.clockEnv });
    const run = await rig.run(idle, {}, link);
    const { shimPid } = await run.started();
    const path = join(run.request.runDir, 's');
    const silent = Array.from({ length: 64 }, () => connect(path));
    for (const socket of silent) socket.on('error', () => {});
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    await until('they are accepted', () => descriptorsOf(shimPid).size >= silent.length);
    const closed = Promise.all(silent.map((socket) => once(socket, 'close')));
    for (const socket of silent) socket.resume();
    rig.moveClock({ monotonicMs: 10_000 });
    await closed;
    assert.equal((await rig.control(run)).hello.state, 'running');
  },
  { hooks: true },
);

nativeTest(
  'S2: a watcher that does not listen holds up nobody, and hears the end later',
  async (rig) => {
    const run = await rig.sh('read go; head -c 200m /dev/zero; exit 5', { stdin: 'open' });
    await run.started();
    const { runDir, cookie } = run.request;
    const socket = connect(join(runDir, 's'));
    rig.defer(() => void socket.destroy());
    socket.write(encodeCommand({ type: 'auth', cookie }, 1));
    socket.write(encodeCommand({ type: 'watch' }, 2));
    const decoder = createFrameDecoder();
    const types: number[] = [];
    socket.on('data', (chunk: Buffer) => decoder.push(chunk, (frame) => types.push(frame.type)));
    await until('it watches', () => types.includes(answerTypes.ok));
    socket.pause();
    const control = await rig.control(run);
    await control.input(Buffer.from('go\n'), { epoch: 1, offset: 0 });
    assert.equal((await run.ended()).exit.code, 5);
    socket.resume();
    await until('it hears the end', () => types.includes(answerTypes.end));
    /* 200 MB rang for it as often as it could listen: not at all. */
    assert.ok(types.filter((type) => type === answerTypes.doorbell).length < 20_000);
  },
);

nativeTest(
  'O5: a shim that was killed refuses connections: that is what missing means',
  async (rig) => {
    const run = await rig.run(idle);
    const { shimPid } = await run.started();
    process.kill(shimPid, 'SIGKILL');
    await run.log.until('shim-lost');
    await assert.rejects(openControl(run.request.runDir, run.request.cookie, { clock }), {
      code: 'shim-unreachable',
      reason: 'refused',
    });
  },
);
