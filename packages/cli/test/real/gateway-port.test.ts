/*
 * A shielded command that listens on the gateway's port while no gateway runs is sent nothing, however it hides; a real gateway, one
 * inside of a plain run, and a program that forwards to it are.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type CliProcess, type CliRig, launcherPath } from '../support/cli-process.ts';
import { createGatewayRig, endOf } from '../support/gateway-rig.ts';
import { type ThiefWay, thiefScript, thiefWays } from '../support/port-thief.ts';
import { createShieldSite, shieldUsers } from '../support/shield-site.ts';

/* Someone who is signed in to their gateway, which is then killed. */
async function createSite(t: TestContext, isUser: boolean) {
  const site = createShieldSite(t, isUser, createGatewayRig);
  // The real one is written at the sign-in.
  rmSync(join(site.home, '.config/clawdfather/gateways.json'));
  const gateway = await site.rig.serve();
  const signedIn = await site.rig.clf('login');
  assert.equal(signedIn.code, 0, signedIn.stderr);
  return { ...site, gateway, port: new URL(gateway.url).port };
}

async function steal(
  rig: CliRig,
  way: ThiefWay,
  { port, flags = [] }: { readonly port: string; readonly flags?: readonly string[] },
): Promise<CliProcess> {
  const argv = ['python3', '-c', thiefScript, way, port];
  const thief = rig.start({}, 'run', ...flags, '--', ...argv);
  await thief.saw('listening');
  return thief;
}

/* What was sent to it until now, by the test's own last. */
async function loot(thief: CliProcess, port: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.end('the last word');
  await thief.saw('the last word');
  return thief.stdout();
}

for (const { name, isUser, skip } of shieldUsers) {
  test(`a shielded command of ${name} on the gateway's port is sent no secret`, {
    skip,
    timeout: 300_000,
  }, async (t) => {
    const { rig, gateway, port, home, own } = await createSite(t, isUser);
    const { url } = gateway;
    gateway.child.kill('SIGKILL');
    await endOf(gateway);
    const link = join(home, 'link');
    writeFileSync(link, `${url}/#clf-link=${'A'.repeat(43)}\n`, { mode: 0o600 });
    own(link);
    const all = [
      ['ps', '-g', url],
      ['approvals', '-g', url],
      ['exec', '-g', url, '--', 'true'],
      ['login', url, '--link-file', link],
    ];
    for (const way of thiefWays) {
      const thief = await steal(rig, way, { port, flags: ['--shield', '--name', way] });
      for (const words of way === 'plain' ? all : all.slice(0, 1)) {
        const { code, stdout, stderr } = await rig.clf(...words);
        const said = `${way}: ${words.join(' ')}: ${stdout}${stderr}`;
        assert.equal(code, 125, said);
        assert.match(stderr, /listens no gateway but a shielded|cannot be seen who listens/, said);
        assert.match(stderr, /Nothing was sent/, said);
        if (way === 'plain') assert.match(stderr, /run \w+, process \d+.*clf kill \w+/s, said);
      }
      if (way === 'accepted') await thief.saw('again');
      thief.child.stdin?.write('go on\n');
      assert.doesNotMatch(await loot(thief, port), /clf|HTTP|Bearer|AAAA/i, way);
      assert.equal((await rig.clf('kill', way)).code, 0);
      await thief.result;
    }
    // Without a shield it is what its person wants it to be, and each would have had it.
    const outside = await steal(rig, 'plain', { port });
    assert.match((await rig.clf('ps', '-g', url)).stderr, /answered 401/);
    assert.match(outside.stdout(), /Bearer clf_/i);
  });

  test(`the gateways of ${name} are reached while a shielded command lives`, {
    skip,
    timeout: 300_000,
  }, async (t) => {
    const { rig, gateway, wrap, home, project, own } = await createSite(t, isUser);
    // It listens, too, and lets no one look into it; its port is another one.
    const thief = await steal(rig, 'hidden', { port: '0', flags: ['--shield'] });
    const reached = async (url: string): Promise<void> => {
      const { code, stderr } = await rig.clf('run', '-g', url, '--', 'true');
      assert.equal(code, 0, `${url}: ${stderr}`);
    };
    await reached(gateway.url);

    const forwarder = await startForwarder(t, [...wrap, process.execPath], gateway.url);
    const linked = await rig.clf('login', '--link', '--json');
    const { loginLink } = JSON.parse(linked.stdout) as { readonly loginLink: string };
    const file = join(home, 'link');
    writeFileSync(file, `${loginLink.split('=')[1]}\n`, { mode: 0o600 });
    own(file);
    const signedIn = await rig.clf('login', forwarder, '--link-file', file, '--no-default');
    assert.equal(signedIn.code, 0, signedIn.stderr);
    await reached(forwarder);

    // An agent inside, with a token of its own, sees no process outside and is served all the same.
    const made = await rig.clf(
      'token',
      'create',
      '--scope',
      'read,run',
      'agent',
      '-g',
      gateway.url,
    );
    writeFileSync(file, made.stdout, { mode: 0o600 });
    const place = [`XDG_CONFIG_HOME=${project}/config`, `CLAWDFATHER_STATE_DIR=${project}/state`];
    const agent = ['--shield', '--', 'env', ...place, process.execPath, launcherPath];
    const login = await rig.clf('run', ...agent, 'login', gateway.url, '--link-file', file);
    assert.equal(login.code, 0, login.stderr);
    const listed = await rig.clf('run', ...agent, 'ps', '-a', '-g', gateway.url);
    assert.match(listed.stdout, /\btrue\b/, listed.stderr);

    gateway.child.kill('SIGKILL');
    await endOf(gateway);
    const serving = [process.execPath, launcherPath, 'serve', '--json'];
    const listen = ['--listen', new URL(gateway.url).host];
    const inside = rig.start({}, 'run', '--name', 'gateway', '--', ...serving, ...listen);
    await inside.saw('\n');
    await reached(gateway.url);
    await reached(forwarder);
    assert.equal(thief.stdout(), 'listening\n');
  });
}

/* As `ssh -L` does it: a process of the same user between a port of its own and the gateway's. */
async function startForwarder(
  t: TestContext,
  [program = '', ...args]: readonly string[],
  url: string,
): Promise<string> {
  const script = `const { connect, createServer } = require('node:net');
    const server = createServer((near) => {
      const far = connect(${new URL(url).port}, '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const one of [near, far]) one.on('error', () => { near.destroy(); far.destroy(); });
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child: ChildProcess = spawn(program, [...args, '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  assert.ok(child.stdout);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return `http://127.0.0.1:${port.toString().trim()}`;
}
