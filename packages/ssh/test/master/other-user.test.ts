/*
 * Another user of this machine, and the disk: neither a master nor its signer can be used by anyone else, and the private key is in no file
 * while a login is under way and while the connection lives.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { cannotMakeUsers, makeUnixUser, sshdSkip, type UnixUser } from '@clawdfather/testkit';
import type { Master } from '../../src/master/master.ts';
import { clock, nothingLeft, openRig, type Rig } from './master-rig.ts';

const run = promisify(execFile);

/* A login that stands still once the host has shown its key: the signer is there. */
async function openStalled(t: TestContext, rig: Rig): Promise<Master> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(rig.sshd.port, rig.sshd.host);
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on('error', () => {});
    }
    socket.on('close', () => onward.destroy());
    onward.pipe(socket);
    socket.on('data', (bytes) => {
      if (!readFileSync(master.place.reportPath, 'utf8').includes('hostkey HOSTNAME'))
        onward.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const master = rig.open({ port: (server.address() as { port: number }).port });
  while (master.state().status !== 'signing') await clock.sleep(5);
  return master;
}

function socketsIn(directory: string): readonly string[] {
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isSocket());
}

/* `connected` or the error, as another user. */
async function connectAs({ uid, gid }: UnixUser, path: string): Promise<string> {
  const script = `const s=require('net').connect(${JSON.stringify(path)});
    s.on('connect',()=>{console.log('connected');process.exit()});s.on('error',(e)=>console.log(e.code))`;
  return (await run(process.execPath, ['-e', script], { uid, gid, cwd: '/' })).stdout.trim();
}

async function readAs({ uid, gid }: UnixUser, path: string): Promise<string> {
  return run('/bin/cat', [path], { uid, gid, cwd: '/' }).then(
    () => 'read',
    () => 'refused',
  );
}

test('no socket and no file of a master is for another user, whatever became of the directory', {
  skip: sshdSkip || cannotMakeUsers,
}, async (t) => {
  await using user = await makeUnixUser();
  const rig = await openRig(t);
  const stalled = await openStalled(t, rig);
  const live = rig.open();
  assert.equal(await live.started, 'live');
  for (const { place } of [stalled, live]) {
    const sockets = socketsIn(place.directory);
    assert.equal(sockets.length, 1);
    for (const path of sockets) assert.equal(await connectAs(user, path), 'EACCES', path);
    // Somebody opens the directories: each thing in them is closed by itself.
    chmodSync(rig.baseDir, 0o755);
    chmodSync(place.directory, 0o755);
    for (const path of sockets) assert.equal(await connectAs(user, path), 'EACCES', path);
    for (const name of readdirSync(place.directory))
      assert.equal(await readAs(user, join(place.directory, name)), 'refused', name);
  }
  await stalled.drain('closed');
  await live.drain('closed');
  await nothingLeft(rig);
});

test('the private key is in no file, neither in the login nor after it', {
  skip: sshdSkip,
}, async (t) => {
  const rig = await openRig(t);
  const whole = Buffer.from(rig.key.privateFile).toString('latin1');
  const body = whole.split('\n').filter((line) => line !== '' && !line.startsWith('---'));
  const bytes = Buffer.from(body.join(''), 'base64').toString('latin1');
  const needles = [...body.slice(1), bytes.slice(-64, -32), bytes.slice(-96, -64)];
  const look = (): readonly string[] =>
    [rig.baseDir, rig.stateDir].flatMap(filesBelow).filter((path) => {
      const content = readFileSync(path, 'latin1');
      return needles.some((needle) => content.includes(needle));
    });
  const stalled = await openStalled(t, rig);
  assert.deepEqual(look(), []);
  await stalled.drain('closed');
  const live = rig.open();
  assert.equal(await live.started, 'live');
  assert.deepEqual(look(), []);
  await live.drain('closed');
  assert.deepEqual(look(), []);
});

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
