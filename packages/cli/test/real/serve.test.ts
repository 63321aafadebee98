/*
 * `clf serve`, `status` and `stop` with real processes: it starts without configuration, is found and verified, stops in peace
 * with clients on it, and is no worse off killed. What runs never notices (E2).
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGatewayRig, endOf, type GatewayRig } from '../support/gateway-rig.ts';

test('serve starts with nothing configured, is shown by status, and ends with stop', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const none = await rig.clf('status');
  assert.equal(none.code, 1);
  assert.match(none.stdout, /No gateway runs.*\nStart one: clf serve/);

  const gateway = await rig.serve();
  assert.match(gateway.loginLink, new RegExp(`^${gateway.url}/login#clf-link=[\\w-]{43}$`));
  const path = join(rig.stateDir, 'gateway.json');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.ok(!readFileSync(path, 'utf8').includes('clf-link'));

  const ready = await rig.clf('status', '--json', '--wait', '20s');
  const status = JSON.parse(ready.stdout) as Record<string, unknown>;
  assert.equal(ready.code, 0, ready.stdout);
  assert.equal(status['gateway'], 'running');
  assert.equal(status['url'], gateway.url);
  assert.equal(status['pid'], gateway.pid);
  assert.equal(status['database'], 'sqlite');
  assert.match((await rig.clf('status')).stdout, /^The gateway is ready\.\naddress {3}http:/);

  const second = await rig.clf('serve', '--listen', '127.0.0.1:0');
  assert.equal(second.code, 125);
  assert.match(second.stderr, /runs already: http.*\n.*clf stop/);

  const stopped = await rig.clf('stop');
  assert.equal(stopped.code, 0, stopped.stderr);
  assert.deepEqual(await endOf(gateway), { code: 0, signal: null });
  assert.ok(!existsSync(path));
  const again = await rig.clf('stop');
  assert.match(again.stderr, /gateway-not-running/);
});

test('of two that are started at once one serves, and the other says so and has done nothing', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const both = [1, 2].map(() => rig.start({}, 'serve', '--json', '--listen', '127.0.0.1:0'));
  const refused = await Promise.race(both.map(({ result }) => result));
  assert.equal(refused.code, 125);
  assert.equal(refused.stdout, '', 'no address and no link');
  assert.match(refused.stderr, /a gateway for this state directory (is starting|runs already)/);
  const serving = both.find(({ child }) => child.exitCode === null) ?? assert.fail('none serves');
  await serving.saw('\n');
  const { pid } = JSON.parse(serving.stdout()) as { pid: number };
  const status = JSON.parse((await rig.clf('status', '--json')).stdout) as { pid: number };
  assert.equal(status.pid, pid);
  assert.ok(!existsSync(join(rig.stateDir, 'gateway.starting')), 'the claim is given back');
});

test('a start that was killed is in nobody’s way', { timeout: 60_000 }, async (context) => {
  const rig = createGatewayRig(context);
  const first = await rig.serve();
  const record = JSON.parse(readFileSync(join(rig.stateDir, 'gateway.json'), 'utf8')) as object;
  first.child.kill('SIGKILL');
  await endOf(first);
  writeFileSync(join(rig.stateDir, 'gateway.starting'), JSON.stringify(record), { mode: 0o600 });
  const second = await rig.serve();
  assert.ok(!existsSync(join(rig.stateDir, 'gateway.starting')));
  assert.equal((await rig.clf('status', '-q')).code, 0);
  assert.notEqual(second.pid, first.pid);
});

test('SIGTERM with streams open ends it, and no run with it', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const gateway = await rig.serve();
  await rig.clf('login');
  const run = (
    await rig.clf('run', '-d', '-g', gateway.url, '--', 'sh', '-c', 'echo here; exec sleep 1000')
  ).stdout.trim();
  const followers = [1, 2, 3].map(() => rig.start({}, 'logs', '-g', gateway.url, '-f', run));
  for (const follower of followers) await follower.saw('here');
  const sockets = await Promise.all([1, 2].map(() => openSocket(rig, gateway.url, run)));
  gateway.child.kill('SIGTERM');
  assert.deepEqual(await endOf(gateway), { code: 0, signal: null });
  assert.deepEqual(await rig.live(), [run]);
  for (const { closed } of sockets) await closed;
  for (const { child, result } of followers) {
    child.kill('SIGTERM');
    assert.equal((await result).signal, 'SIGTERM');
  }
});

test('killed with -9 and started again: the run, its output and the sign-in are all there', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const first = await rig.serve();
  await rig.clf('login');
  const line = 'i=0; while read word; do i=$((i+1)); echo "$i $word"; done; echo over';
  const at = ['-g', first.url];
  const run = (await rig.clf('run', '-d', '-i', ...at, '--', 'sh', '-c', line)).stdout.trim();
  await rig.clf('input', ...at, run, 'one\n');
  const follower = rig.start({}, 'logs', ...at, '-f', '--cursor', run);
  await follower.saw('1 one\n');
  first.child.kill('SIGKILL');
  await endOf(first);
  const stale = await rig.clf('status', '--json');
  assert.equal((JSON.parse(stale.stdout) as { gateway: string }).gateway, 'stale');

  const port = new URL(first.url).port;
  const second = await rig.serve('--listen', `127.0.0.1:${port}`);
  assert.equal(second.url, first.url);
  await rig.clf('input', ...at, '--eof', run, 'two\n');
  const followed = await follower.result;
  assert.equal(followed.stdout, '1 one\n2 two\nover\n', 'every byte once, over both gateways');
  assert.match(followed.stderr, /connection lost.*\n(.*\n)*clf: connected again/);
  const waited = await rig.clf('wait', ...at, '--json', run);
  assert.equal(waited.code, 0, waited.stderr);
});

test('a port that is taken is said so, with what to do', { timeout: 60_000 }, async (context) => {
  const rig = createGatewayRig(context);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  context.after(() => other.close());
  const address = other.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const { code, stderr } = await rig.clf('serve', '--listen', `127.0.0.1:${port}`);
  assert.equal(code, 125);
  assert.match(
    stderr,
    /cannot listen on 127\.0\.0\.1:\d+: something else does already\n(.*\n)*.*clf serve --listen 127/,
  );
  assert.doesNotMatch(stderr, /`clf status`/, 'its own state directory has no gateway');
  assert.ok(!existsSync(join(rig.stateDir, 'gateway.json')));
});

test('nothing is opened to the network without TLS or a proxy', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const bare = await rig.clf('serve', '--listen', '0.0.0.0:0');
  assert.equal(bare.code, 125);
  assert.match(bare.stderr, /listen-unprotected/);
  const half = await rig.clf('serve', '--listen', '0.0.0.0:0', '--tls-cert', '/nowhere');
  assert.match(half.stderr, /--tls-key/);
  const key = join(rig.env['HOME'] ?? '', 'key.pem');
  writeFileSync(key, 'secret', { mode: 0o644 });
  const open = await rig.clf('serve', '--tls-cert', key, '--tls-key', key);
  assert.match(open.stderr, /key\.pem can be read by others\n.*chmod 600/);
});

test('a second INT ends it at once; the log is JSON for programs and silent when asked', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const gateway = await rig.serve();
  gateway.child.kill('SIGINT');
  gateway.child.kill('SIGINT');
  const { code, signal } = await endOf(gateway);
  // Whichever came first: the second signal, or the end of a stop that took some milliseconds.
  assert.ok(code === 0 || signal === 'SIGINT', `${code} ${signal}`);
  const { stderr } = await gateway.result;
  const events = stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { event: string });
  assert.ok(
    events.some(({ event }) => event === 'gateway.started'),
    stderr,
  );
  assert.ok(!stderr.includes('clf-link'));

  const silent = await rig.serve('--log', 'off');
  silent.child.kill('SIGTERM');
  assert.equal((await silent.result).stderr, '');
});

test('stop --close-sessions closes what is open before it stops', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const gateway = await rig.serve();
  await rig.clf('login');
  const answer = await fetch(new URL('/api/v1/sessions', gateway.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(rig)}`, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  const stopped = await rig.clf('stop', '--close-sessions', '--json');
  assert.equal((JSON.parse(stopped.stdout) as { closedSessions: number }).closedSessions, 1);
  assert.deepEqual(await endOf(gateway), { code: 0, signal: null });
});

function tokenOf(rig: GatewayRig): string {
  const path = join(rig.env['XDG_CONFIG_HOME'] ?? '', 'clawdfather', 'gateways.json');
  const { gateways } = JSON.parse(readFileSync(path, 'utf8')) as {
    gateways: { token: string }[];
  };
  return gateways[0]?.token ?? '';
}

/* A client that watches the run over a WebSocket; resolves when it has seen output. */
async function openSocket(
  rig: GatewayRig,
  url: string,
  run: string,
): Promise<{ closed: Promise<void> }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/runs/${run}`);
  const closed = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  socket.addEventListener('close', () => {
    closed.resolve();
    seen.reject(new Error('closed before any output'));
  });
  socket.addEventListener('message', ({ data }) => {
    if (String(data).includes('terminal.data')) seen.resolve();
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'auth', token: tokenOf(rig) }));
  socket.send(JSON.stringify({ type: 'terminal.attach' }));
  await seen.promise;
  return { closed: closed.promise };
}
