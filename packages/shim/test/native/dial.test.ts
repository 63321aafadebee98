/*
 * The dialer: what came of a connection, in words that do not change with ssh's release; and ssh takes it over.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { freezeProcess, openSshd, type SshdRig } from '@clawdfather/testkit';
import { path, pidOf, sshPrograms, sshSettings } from './mux-rig.ts';
import { nativeTest, type Rig } from './rig.ts';

const ssh = { programs: sshPrograms };

interface Dialled {
  readonly status: number | null;
  readonly report: readonly string[];
}

function dial(
  rig: Rig,
  words: readonly string[],
  wrap: readonly string[] = [],
): { readonly child: ChildProcess; readonly ended: Promise<Dialled>; readonly report: string } {
  const report = join(rig.dir, 'report');
  const [address = '', port = '', limit = '5000'] = words;
  const [program, ...args] = [...wrap, rig.binaryPath, 'dial', address, port, report, limit];
  /* Node's pipes are Unix sockets, as ssh's is. */
  const child = spawn(program, args, { env: { PATH: path }, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = Promise.withResolvers<Dialled>();
  child.stdout.resume();
  child.once('close', (status) => ended.resolve({ status, report: readLines(report) }));
  return { child, ended: ended.promise, report };
}

function readLines(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

/* ssh with the dialer in front; what it says. */
function runSsh(rig: Rig, sshd: SshdRig, command: string) {
  const report = join(rig.dir, 'report');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(sshd.dir, 'id')]);
  sshd.authorize(readFileSync(join(sshd.dir, 'id.pub'), 'utf8'));
  writeFileSync(join(sshd.dir, 'known'), `rig ${sshd.hostKey.line}\n`);
  const proxy = `${rig.binaryPath} dial ${sshd.host} ${sshd.port} ${report} 5000`;
  const dialler = ['-o', `ProxyCommand=${proxy}`, '-o', 'ProxyUseFdpass=yes'];
  const env = { PATH: path, SHELL: '/bin/sh' };
  const args = [...sshSettings(sshd), ...dialler, 'a-name-that-is-not-resolved', command];
  const { status, stdout, stderr } = spawnSync('ssh', args, { env, encoding: 'utf8' });
  return { status, stdout, stderr, report: readLines(report) };
}

nativeTest(
  'ssh takes the connection over, and the dialer ends',
  async (rig) => {
    const sshd = await openSshd(rig);
    const { status, stdout, stderr, report } = runSsh(rig, sshd, 'echo "$SSH_CONNECTION"; exit 7');
    assert.equal(status, 7, stderr);
    assert.match(stdout, new RegExp(`^127\\.0\\.0\\.1 \\d+ 127\\.0\\.0\\.1 ${sshd.port}$`, 'm'));
    assert.equal(report.length, 1);
    assert.match(report[0] ?? '', /^dial connected \d+$/);
  },
  ssh,
);

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);
if (hasIpv6) {
  nativeTest(
    'an IPv6 address is as good',
    async (rig) => {
      const sshd = await openSshd(rig, { host: '::1' });
      const { stdout, stderr } = runSsh(rig, sshd, 'echo "$SSH_CONNECTION"');
      assert.match(stdout, new RegExp(`^::1 \\d+ ::1 ${sshd.port}$`, 'm'), stderr);
    },
    ssh,
  );
}

nativeTest('a refused connection is that', async (rig) => {
  const { status, report } = await dial(rig, ['127.0.0.1', String(await freePort())]).ended;
  assert.equal(status, 1);
  assert.match(report.join(), /^dial failed ECONNREFUSED \d+$/);
});

nativeTest(
  'no way to the network is that',
  async (rig) => {
    const { status, report } = await dial(rig, ['192.0.2.1', '22'], ['unshare', '-n']).ended;
    assert.equal(status, 1);
    assert.match(report.join(), /^dial failed ENETUNREACH \d+$/);
  },
  { root: true, programs: ['unshare'] },
);

nativeTest('what does not answer is given up in time', async (rig) => {
  const port = await openFullListener(rig);
  const { status, report } = await dial(rig, ['127.0.0.1', port, '200']).ended;
  assert.equal(status, 1);
  assert.deepEqual(report, ['dial timeout']);
});

nativeTest('it does not outlive its ssh', async (rig) => {
  const port = await openFullListener(rig);
  const { child, ended } = dial(rig, ['127.0.0.1', port, '600000']);
  child.stdout?.destroy();
  const { status, report } = await ended;
  assert.equal(status, 1);
  assert.match(report.join(), /^dial failed EPIPE \d+$/);
});

nativeTest('only a numeric address is dialled, and only a port', async (rig) => {
  const bad = [
    ['localhost', '22'],
    ['127.0.0.1.', '22'],
    ['127.1', '22'],
    ['0x7f000001', '22'],
    ['fe80::1%lo', '22'],
    ['', '22'],
    ['127.0.0.1', '0'],
    ['127.0.0.1', '65536'],
    ['127.0.0.1', '22x'],
    ['127.0.0.1', '-1'],
    ['127.0.0.1', '22', '600001'],
    ['127.0.0.1', '22', ''],
  ];
  for (const words of bad) {
    const { status } = await dial(rig, words).ended;
    assert.equal(status, 1, words.join(' '));
  }
  const report = readLines(join(rig.dir, 'report'));
  assert.deepEqual(
    report,
    bad.map(() => 'dial failed EINVAL 0'),
  );
});

nativeTest(
  'what it hands over sends at once and notices a dead host',
  async (rig) => {
    const server = createServer((peer) => peer.on('error', () => {}));
    const port = await listen(server);
    rig.defer(() => void server.close());
    const log = join(rig.dir, 'trace');
    const traced = ['strace', '-o', log, '-e', 'trace=setsockopt'];
    const { status } = await dial(rig, ['127.0.0.1', port], traced).ended;
    assert.equal(status, 0);
    const calls = readFileSync(log, 'utf8');
    assert.match(calls, /TCP_NODELAY, \[1\]/);
    assert.match(calls, /SO_KEEPALIVE, \[1\]/);
  },
  { programs: ['strace'], variants: ['test'] },
);

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  return typeof address === 'object' ? String(address?.port) : '';
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
  return Number(port);
}

const listener = `require('node:net').createServer()
  .listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })`;

/* Its process stands still and its queue is full: the kernel drops the next that comes. */
async function openFullListener(rig: Rig): Promise<string> {
  const child = spawn(process.execPath, ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] });
  const told = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').once('data', (text: string) => told.resolve(text.trim()));
  const port = await told.promise;
  await freezeProcess(pidOf(child));
  const waiting: Socket[] = [];
  rig.defer(async () => {
    for (const socket of waiting) socket.destroy();
    const gone = Promise.withResolvers<void>();
    child.once('close', () => gone.resolve());
    child.kill('SIGKILL');
    await gone.promise;
  });
  /* A backlog of one holds two. */
  for (let count = 0; count < 2; count += 1) {
    const connected = Promise.withResolvers<void>();
    waiting.push(connect(Number(port), '127.0.0.1', connected.resolve));
    await connected.promise;
  }
  return port;
}
