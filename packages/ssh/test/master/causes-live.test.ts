/*
 * Every cause for which a connection does not come about or ends, produced for real: with servers that stop at each point, wires that are
 * cut, programs that are missing. Each says why, and leaves no process, no socket and no file.
 *
 * Limits of 30 s and more are met with a clock that runs faster.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  createHurryingClock,
  type HurryingClock,
  netHostSkip,
  openNetHost,
  openSmallDisk,
  smallDiskSkip,
  sshdSkip,
} from '@clawdfather/testkit';
import { deferred } from '@clawdfather/kit';
import type { MasterPlace } from '../../src/master/master-place.ts';
import type { MasterCause } from '../../src/master/cause-table.ts';
import type { MasterEnd, MasterRequest } from '../../src/master/master.ts';
import { nothingLeft, openRig, pinOf, type Rig } from './master-rig.ts';

const skip = sshdSkip;

async function endOf(rig: Rig, change: Partial<MasterRequest> = {}): Promise<MasterEnd> {
  const end = await rig.open(change).started;
  assert.ok(end !== 'live', 'it should not have opened');
  await nothingLeft(rig);
  return end;
}

async function fails(rig: Rig, cause: MasterCause, change?: Partial<MasterRequest>) {
  const end = await endOf(rig, change);
  assert.equal(end.cause, cause, end.stderr);
}

/* A server that does this with each connection. */
async function openServer(t: TestContext, serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return (server.address() as { port: number }).port;
}

test('closed-early: what is no SSH server, closes at once, or resets', { skip }, async (t) => {
  const rig = await openRig(t);
  const http = await openServer(t, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const closing = await openServer(t, (socket) => socket.end());
  const resetting = await openServer(t, (socket) => {
    socket.once('data', () => socket.resetAndDestroy());
  });
  const old = await openServer(t, (socket) => socket.write('SSH-1.5-old\r\n'));
  for (const port of [http, closing, resetting, old]) await fails(rig, 'closed-early', { port });
  await fails(rig, 'penalty-suspected', { port: closing, failedLoginMsAgo: 1_000 });
});

test('silent-server: one that says nothing, and one that stops in the key exchange', {
  skip,
}, async (t) => {
  const clock = createHurryingClock();
  const rig = await openRig(t, { deps: { clock } });
  const fallsSilent = async (port: number): Promise<void> => {
    const master = rig.open({ port, connectSeconds: 2 });
    const isDialed = (): boolean => reported(master.place.reportPath).includes('dial connected');
    let isOver = false;
    void master.started.finally(() => (isOver = true));
    while (!isDialed() && !isOver) await new Promise(setImmediate);
    clock.hurry(15);
    const end = await master.started;
    assert.ok(end !== 'live', 'it should not have opened');
    await nothingLeft(rig);
    assert.equal(end.cause, 'silent-server', end.stderr);
    clock.hurry(1);
  };
  await fallsSilent(await openServer(t, (socket) => socket.resume()));
  const stalled = await openServer(t, (socket) => {
    socket.resume();
    socket.write('SSH-2.0-stalled\r\n');
  });
  // ssh itself would wait for ever; the limit of a start ends it.
  await fallsSilent(stalled);
});

/* What the report of a start says so far. */
function reported(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It is not made yet, or not there any more.
    return '';
  }
}

test('timeout, no-route: a black hole, and an address that nothing leads to', {
  skip: skip || netHostSkip,
}, async (t) => {
  await using host = await openNetHost();
  const rig = await openRig(t);
  await host.drop(100);
  await fails(rig, 'timeout', { host: host.address, connectSeconds: 1 });
  await fails(rig, 'no-route', { host: host.unreachable });
});

test('host-key-unusable: an RSA key that is too short', { skip }, async (t) => {
  const rig = await openRig(t, {
    sshd: { config: ['RequiredRSASize 1024', 'HostKeyAlgorithms rsa-sha2-512'] },
  });
  const path = join(rig.sshd.dir, 'host-key');
  execFileSync('rm', ['-f', path, `${path}.pub`]);
  execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '1024', '-N', '', '-f', path]);
  const end = await endOf(rig, { pin: undefined });
  assert.equal(end.cause, 'host-key-unusable', end.stderr);
});

/* The way to the host goes through it, and ends once ssh has accepted the host's key: it is closed, or it stands still. */
async function endsAfterKey(
  t: TestContext,
  rig: Rig,
  how: 'closed' | HurryingClock,
): Promise<MasterEnd> {
  const place: { path: string | undefined } = { path: undefined };
  const isKeyed = (): boolean =>
    place.path !== undefined && readFileSync(place.path, 'utf8').includes('hostkey HOSTNAME');
  const port = await openServer(t, (socket) => {
    const filter = createKexFilter();
    const onward = connect(rig.sshd.port, rig.sshd.host);
    onward.on('error', () => {});
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    onward.on('data', (bytes) => socket.write(how === 'closed' ? filter(bytes) : bytes));
    socket.on('data', (bytes) => {
      if (!isKeyed()) onward.write(bytes);
      else if (how === 'closed') socket.destroy();
      else how.hurry(15);
    });
  });
  const master = rig.open({ port });
  place.path = master.place.reportPath;
  const end = await master.started;
  assert.ok(end !== 'live');
  await nothingLeft(rig);
  return end;
}

test('closed-before-login: the host shows its key and closes', { skip }, async (t) => {
  const rig = await openRig(t);
  const end = await endsAfterKey(t, rig, 'closed');
  assert.equal(end.cause, 'closed-before-login', end.stderr);
});

test('login-stalled: the host shows its key and stands still', { skip }, async (t) => {
  const clock = createHurryingClock();
  const rig = await openRig(t, { deps: { clock } });
  const end = await endsAfterKey(t, rig, clock);
  assert.equal(end.cause, 'login-stalled', end.stderr);
});

/* What a server says in a key exchange, without its last message and what comes after that. */
function createKexFilter(): (bytes: Buffer) => Buffer {
  const newKeys = 21;
  let held = Buffer.alloc(0);
  let isBanner = true;
  let isOver = false;
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    const done: Buffer[] = [];
    const take = (length: number): void => {
      done.push(held.subarray(0, length));
      held = held.subarray(length);
    };
    if (isBanner && held.includes('\n')) {
      isBanner = false;
      take(held.indexOf('\n') + 1);
    }
    while (!isBanner && !isOver && held.length >= 6 && held.length >= 4 + held.readUInt32BE(0)) {
      isOver = held[5] === newKeys;
      if (!isOver) take(4 + held.readUInt32BE(0));
    }
    return Buffer.concat(done);
  };
}

/* Something happens to the files of a master when ssh has connected, before the host says its first word. */
async function endsAfterDamage(
  t: TestContext,
  rig: Rig,
  damage: (place: MasterPlace) => void,
): Promise<MasterEnd> {
  const begun = deferred<MasterPlace>();
  const port = await openServer(t, (socket) => {
    void begun.promise.then((place) => {
      damage(place);
      const onward = connect(rig.sshd.port, rig.sshd.host);
      onward.on('error', () => {});
      onward.pipe(socket).pipe(onward);
    });
  });
  const master = rig.open({ port });
  begun.resolve(master.place);
  const end = await master.started;
  assert.ok(end !== 'live');
  await nothingLeft(rig);
  return end;
}

test('pin-unreadable: the file of the pin is damaged, or is gone', { skip }, async (t) => {
  const rig = await openRig(t);
  const damages: readonly ((path: string) => void)[] = [
    (path) => rmSync(path),
    (path) => writeFileSync(path, 'ssh-ed25519 no/t base64\0\n'),
    (path) => truncateSync(path, 20),
  ];
  for (const damage of damages) {
    const end = await endsAfterDamage(t, rig, ({ pinPath }) => damage(pinPath));
    assert.equal(end.cause, 'pin-unreadable', end.stderr);
  }
  assert.doesNotMatch(rig.sshd.log(), /Accepted/);
});

test('signer-gone: its socket is gone before ssh asks it', { skip }, async (t) => {
  const rig = await openRig(t);
  const end = await endsAfterDamage(t, rig, ({ directory }) => {
    const sockets = readdirSync(directory).filter((name) => name.startsWith('sign-'));
    assert.equal(sockets.length, 1);
    for (const name of sockets) rmSync(join(directory, name));
  });
  assert.equal(end.cause, 'signer-gone', end.stderr);
});

test('dial-failed: the dialer is not there, and the system says something that is no other cause', {
  skip: skip || netHostSkip,
}, async (t) => {
  const rig = await openRig(t, { deps: { shimPath: '/no/such/shim' } });
  await fails(rig, 'dial-failed');
  await using host = await openNetHost();
  const other = await openRig(t);
  const route = ['prohibit', `${host.unreachable}/32`];
  // EACCES, which no firewall gives.
  execFileSync('/usr/sbin/ip', ['route', 'add', ...route]);
  try {
    await fails(other, 'dial-failed', { host: host.unreachable });
  } finally {
    execFileSync('/usr/sbin/ip', ['route', 'del', ...route]);
  }
});

test('master-lost: what holds ssh is killed, and nobody saw how it ended', { skip }, async (t) => {
  const rig = await openRig(t);
  const master = rig.open();
  assert.equal(await master.started, 'live');
  const [record] = rig.supervisor.list({ hasTree: true });
  assert.ok(record?.shimPid !== undefined);
  process.kill(record.shimPid, 'SIGKILL');
  const { cause } = await master.ended;
  assert.equal(cause, 'master-lost');
  await nothingLeft(rig);
});

test('key-not-installed: no key, a key for other addresses, a user that may not log in', {
  skip,
}, async (t) => {
  const rig = await openRig(t);
  rig.sshd.authorizeNone();
  await fails(rig, 'key-not-installed');
  rig.sshd.authorize(`from="192.0.2.1" ${rig.key.publicKey}`);
  await fails(rig, 'key-not-installed');
  rig.sshd.authorizeNone();
  rig.sshd.authorize(rig.key.publicKey);
  await fails(rig, 'key-not-installed', { user: 'no-such-user' });
});

test('refused-after-signature: the host wants a second factor', { skip }, async (t) => {
  const rig = await openRig(t, {
    sshd: {
      config: [
        'KbdInteractiveAuthentication yes',
        'AuthenticationMethods publickey,keyboard-interactive',
      ],
    },
  });
  await fails(rig, 'refused-after-signature');
});

test('ssh-unusable: there is no ssh', { skip }, async (t) => {
  const rig = await openRig(t, { deps: { sshPath: '/no/such/ssh' } });
  await fails(rig, 'ssh-unusable');
});

test('local-limit: the disk of this machine is full', {
  skip: skip || smallDiskSkip,
}, async (t) => {
  using disk = openSmallDisk('size=64k');
  const rig = await openRig(t, { deps: { baseDir: disk.path } });
  disk.fill();
  await fails(rig, 'local-limit');
  assert.deepEqual(readNames(disk.path), ['ballast']);
});

function readNames(path: string): readonly string[] {
  return execFileSync('ls', ['-A', path], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

test('host-key-unknown, host-key-changed: the offered key is on record', { skip }, async (t) => {
  const rig = await openRig(t);
  const first = await endOf(rig, { pin: undefined });
  assert.equal(first.cause, 'host-key-unknown');
  assert.equal(first.offered?.blob, rig.sshd.hostKey.blob);
  const pin = pinOf(rig.sshd.hostKey.line);
  const next = await rig.sshd.swapHostKey();
  const second = await endOf(rig, { pin });
  assert.equal(second.cause, 'host-key-changed');
  assert.equal(second.offered?.blob, next.blob);
});

test('keepalive: a live host falls silent, and what is missed is counted', {
  skip: skip || netHostSkip,
}, async (t) => {
  await using host = await openNetHost();
  const clock = createHurryingClock();
  const rig = await openRig(t, {
    sshd: { host: host.address, wrap: host.wrap },
    deps: { clock },
  });
  const master = rig.open();
  assert.equal(await master.started, 'live');
  await host.drop(100);
  clock.hurry(20);
  const { cause } = await master.ended;
  assert.equal(cause, 'keepalive');
  await nothingLeft(rig);
});
