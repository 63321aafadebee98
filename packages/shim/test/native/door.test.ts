/*
 * The door between agents in a shield and a real master: sessions go through it, and nothing that the master would do on this machine.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { untilGone } from '../process-rig.ts';
import { type Host, muxTest, path, pidOf } from './mux-rig.ts';
import { type Rig, until } from './rig.ts';

interface Door {
  readonly child: ChildProcess;
  readonly directory: string;
  readonly socket: string;
  readonly ended: Promise<unknown>;
}

async function openDoor(rig: Rig, host: Host): Promise<Door> {
  const directory = join(rig.dir, 'in');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const child = spawn(rig.binaryPath, ['door', directory, host.socket], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const said = text(child.stderr);
  rig.defer(async () => {
    child.kill('SIGTERM');
    await ended;
    assert.equal(await said, '');
  });
  assert.equal(await text(child.stdout), 'open\n');
  return { child, directory, socket: join(directory, 's'), ended };
}

interface Said {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

async function ssh(door: Door, words: readonly string[], input = ''): Promise<Said> {
  const through = ['-F', 'none', '-o', `ControlPath=${door.socket}`, '-o', 'ProxyCommand=false'];
  const child = spawn('ssh', [...through, ...words], { env: { PATH: path } });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

function packet(type: number, ...words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 + 4 * words.length);
  [bytes.length - 4, type, ...words].forEach((word, at) => bytes.writeUInt32BE(word, 4 * at));
  return bytes;
}

const hello = packet(1, 4);
const newSession = packet(0x10000002, 7, 0, 0, 0, 0, 0, 0xffffffff, 0, 0);

async function enter(rig: Rig, door: Door): Promise<Socket> {
  const socket = connect(door.socket);
  rig.defer(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(hello);
  await once(socket, 'data');
  return socket;
}

/* Also by a reset, which is an error of the socket before. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

muxTest('sessions go through the door as they do without it', async (host, rig) => {
  const door = await openDoor(rig, host);
  const done = await ssh(door, ['x', 'cat; echo to stderr >&2; exit 7'], 'some input');
  assert.deepEqual(done, { code: 7, stdout: 'some input', stderr: 'to stderr\n' });
  const terminal = await ssh(door, ['-tt', 'x', 'test -t 0 && echo a terminal']);
  assert.match(terminal.stdout, /a terminal/);
  const banner = await ssh(door, ['-W', `127.0.0.1:${host.sshd.port}`, 'x']);
  assert.match(banner.stdout, /^SSH-2\.0/, banner.stderr);
  const many = await Promise.all([1, 2, 3, 4, 5].map((n) => ssh(door, ['x', `echo ${n}`])));
  assert.equal(many.map(({ stdout }) => stdout).join(''), '1\n2\n3\n4\n5\n');
});

muxTest('nothing is asked of the master that it would do on this machine', async (host, rig) => {
  const door = await openDoor(rig, host);
  const made = join(rig.dir, 'made');
  for (const words of [
    ['-O', 'forward', '-R', `127.0.0.1:0:${host.socket}`],
    ['-O', 'forward', '-L', `${made}:/nowhere`],
    ['-O', 'forward', '-D', `127.0.0.1:${host.sshd.port}`],
    ['-O', 'stop'],
    ['-O', 'exit'],
  ]) {
    const { code, stderr } = await ssh(door, [...words, 'x']);
    assert.notEqual(code, 0, words.join(' '));
    assert.match(stderr, /only sessions on the host are open/, words.join(' '));
  }
  assert.notEqual((await ssh(door, ['-O', 'proxy', 'x'])).code, 0);
  assert.equal(existsSync(made), false);
  await host.serves();
});

muxTest('half a request does not hold the master up', async (host, rig) => {
  const door = await openDoor(rig, host);
  const socket = await enter(rig, door);
  socket.write(newSession);
  await host.serves();
  // A byte without a descriptor ends it.
  socket.write(Buffer.alloc(1));
  await closed(socket);
  for (const bytes of [
    packet(0x10000002, 1),
    Buffer.alloc(8, 0xff),
    packet(0x10000002, 1, 0xffffffff),
  ]) {
    const other = await enter(rig, door);
    other.write(bytes);
    await closed(other);
  }
  await host.serves();
});

muxTest('taken away, it lets nothing new in, and what was started goes on', async (host, rig) => {
  const door = await openDoor(rig, host);
  const waiting = await enter(rig, door);
  const through = ['-F', 'none', '-o', `ControlPath=${door.socket}`, 'x'];
  const child = spawn('ssh', [...through, 'echo begun; cat'], { env: { PATH: path } });
  await once(child.stdout, 'data');
  rmSync(door.socket);
  await Promise.all([door.ended, closed(waiting)]);
  child.stdin.end('still here');
  assert.equal(await text(child.stdout), 'still here');
  assert.deepEqual(readdirSync(door.directory), []);
});

muxTest('it ends with the master', async (host, rig) => {
  const door = await openDoor(rig, host);
  process.kill(host.masterPid, 'SIGKILL');
  await door.ended;
  assert.deepEqual(readdirSync(door.directory), []);
});

muxTest(
  'one that listens is left alone, and one that was killed is replaced',
  async (host, rig) => {
    const door = await openDoor(rig, host);
    const second = await openDoor(rig, host);
    await second.ended;
    assert.equal((await ssh(door, ['x', 'echo first'])).stdout, 'first\n');
    door.child.kill('SIGKILL');
    await untilGone(pidOf(door.child));
    const third = await openDoor(rig, host);
    assert.equal((await ssh(third, ['x', 'echo third'])).stdout, 'third\n');
    await until('nothing else is there', () => readdirSync(door.directory).join() === 's');
  },
);
