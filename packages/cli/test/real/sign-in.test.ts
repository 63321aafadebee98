/*
 * A gateway from the command line: signing in here and elsewhere, tokens, devices, the audit log, backup and restore.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createGatewayRig, endOf, type GatewayRig } from '../support/gateway-rig.ts';

const options = { timeout: 60_000 };

const gatewaysOf = (rig: GatewayRig): string =>
  join(rig.env['XDG_CONFIG_HOME'] ?? '', 'clawdfather', 'gateways.json');

test(
  'on the same machine a sign-in asks nothing, is kept private, and ends with logout',
  options,
  async (context) => {
    const rig = createGatewayRig(context);
    const early = await rig.clf('login');
    assert.match(early.stderr, /no gateway runs.*\n.*clf serve/);
    const gateway = await rig.serve();
    const before = await rig.clf('ps', '-g', gateway.url);
    assert.equal(before.code, 125);
    assert.match(before.stderr, /not signed in.*\n.*clf login/);

    const signedIn = await rig.clf('login');
    assert.equal(signedIn.code, 0, signedIn.stderr);
    const path = gatewaysOf(rig);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(!signedIn.stdout.includes('clf_'), 'the token is shown to nobody');
    assert.match((await rig.clf('ps', '-g', gateway.url)).stdout, /^No runs at /);
    const devices = await rig.clf('devices', '--json');
    assert.equal((JSON.parse(devices.stdout) as { isCurrent: boolean }).isCurrent, true);

    chmodSync(path, 0o644);
    assert.match((await rig.clf('ps', '-g', gateway.url)).stderr, /can be read by others/);
    chmodSync(path, 0o600);

    assert.match((await rig.clf('logout')).stdout, new RegExp(`Signed out of ${gateway.url}`));
    assert.match((await rig.clf('ps', '-g', gateway.url)).stderr, /not-signed-in/);
  },
);

test('signing in again from the same machine leaves one device', options, async (context) => {
  const rig = createGatewayRig(context);
  const { url } = await rig.serve();
  const devicesOf = async (...flags: string[]): Promise<string[]> =>
    (await rig.clf('devices', '--json', ...flags)).stdout.trim().split('\n');
  assert.equal((await rig.clf('login')).code, 0);
  const [before] = await devicesOf();
  assert.equal((await rig.clf('login')).code, 0);
  const after = await devicesOf();
  assert.equal(after.length, 1);
  assert.notEqual(after[0], before, 'it has a token of its own');

  // As from another machine, with a link.
  const away = { CLAWDFATHER_STATE_DIR: join(rig.env['HOME'] ?? '', 'nothing-here') };
  for (const name of ['home', 'home', 'house']) {
    const { loginLink } = JSON.parse((await rig.clf('login', '--link', '--json')).stdout) as {
      readonly loginLink: string;
    };
    const file = join(rig.env['HOME'] ?? '', 'link');
    writeFileSync(file, loginLink, { mode: 0o600 });
    const args = ['login', url, '--link-file', file, '--name', name];
    const signedIn = await rig.clfWith({ env: away }, ...args);
    assert.equal(signedIn.code, 0, signedIn.stderr);
  }
  assert.equal((await devicesOf('-g', url)).length, 2);
});

test('a gateway that is not running can be forgotten', options, async (context) => {
  const rig = createGatewayRig(context);
  const gateway = await rig.serve();
  assert.equal((await rig.clf('login')).code, 0);
  gateway.child.kill('SIGTERM');
  await endOf(gateway);
  const out = await rig.clf('logout');
  assert.equal(out.code, 0, out.stderr);
  assert.match(out.stdout, new RegExp(`Signed out of ${gateway.url}`));
  assert.match(out.stderr, /did not answer/);
  assert.match((await rig.clf('logout')).stderr, /signed in to no gateway/);
});

test(
  'elsewhere it takes a link or a token, from a file or from stdin, and a link works once',
  options,
  async (context) => {
    const rig = createGatewayRig(context);
    const { url, loginLink } = await rig.serve();
    // Another machine has no access to the state directory.
    const away = { CLAWDFATHER_STATE_DIR: join(rig.env['HOME'] ?? '', 'nothing-here') };
    const file = join(rig.env['HOME'] ?? '', 'link');
    writeFileSync(file, `${loginLink}\n`, { mode: 0o600 });
    const args = ['login', url, '--link-file', file, '--name', 'home'];
    const signedIn = await rig.clfWith({ env: away }, ...args);
    assert.equal(signedIn.code, 0, signedIn.stderr);
    const again = await rig.clfWith({ env: away }, ...args);
    assert.match(again.stderr, /sign-in-refused/);

    const listed = await rig.clfWith({ env: away }, 'ps', '--gateway', 'home');
    assert.match(listed.stdout, /^No runs at home yet\. Start one: clf run -g home -d/);
    const mistyped = await rig.clfWith({ env: away }, 'ps', '--gateway', 'hime');
    assert.match(mistyped.stderr, /Did you mean home\?/);
    const named = await rig.clfWith(
      { env: { ...away, CLAWDFATHER_GATEWAY: url } },
      'audit',
      '--json',
    );
    assert.match(named.stdout, /"action":"auth\.login"/);

    const token = (
      await rig.clfWith({ env: away }, 'token', 'create', '--scope', 'read', 'ci')
    ).stdout.trim();
    const other = { ...away, XDG_CONFIG_HOME: join(rig.env['HOME'] ?? '', 'other-config') };
    const byToken = await rig.clfWith({ env: other, input: `${token}\n` }, 'login', url);
    assert.equal(byToken.code, 0, byToken.stderr);
    const refused = await rig.clfWith({ env: other }, 'run', '--', 'true');
    assert.equal(refused.code, 125);
    assert.match(refused.stderr, /\(forbidden\)/);

    assert.equal((await rig.clfWith({ env: away }, 'token', 'revoke', 'ci')).code, 0);
    assert.match((await rig.clfWith({ env: other }, 'ps')).stderr, /sign-in has ended/);
  },
);

test('inside a run nobody signs in', options, async (context) => {
  const rig = createGatewayRig(context);
  await rig.serve();
  const launcher = new URL('../../bin/clawdfather.cjs', import.meta.url).pathname;
  const inner = await rig.clf('run', '--', process.execPath, launcher, 'login');
  assert.equal(inner.code, 125);
  assert.match(inner.stderr, /inside a run/);
  assert.ok(!existsSync(gatewaysOf(rig)));
});

test(
  'a backup is made while it runs, and brings back what was there; a running gateway is not replaced',
  options,
  async (context) => {
    const rig = createGatewayRig(context);
    await rig.serve();
    await rig.clf('login');
    const path = join(rig.env['HOME'] ?? '', 'backup');
    const made = await rig.clf('backup', '--with-keys', '--json', path);
    assert.equal(made.code, 0, made.stderr);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(`${path}.keys`).mode & 0o777, 0o700);
    assert.match((await rig.clf('backup', path)).stderr, /file-exists/);
    await rig.clf('token', 'create', 'later');
    assert.match((await rig.clf('restore', path)).stderr, /gateway-running/);
    await rig.clf('stop');

    writeFileSync(join(rig.env['HOME'] ?? '', 'other'), 'no database');
    const wrong = await rig.clf('restore', '--check', join(rig.env['HOME'] ?? '', 'other'));
    assert.equal(wrong.code, 1);
    const good = await rig.clf('restore', '--json', path);
    assert.equal(good.code, 0, good.stderr);
    const { keptPath } = JSON.parse(good.stdout) as { keptPath: string };
    assert.ok(readFileSync(keptPath).includes('later'));
    await rig.serve();
    assert.match((await rig.clf('token')).stdout, /^No tokens/);
  },
);

test(
  'the audit log is followed: what is done meanwhile appears, once, until we leave',
  options,
  async (context) => {
    const rig = createGatewayRig(context);
    await rig.serve();
    await rig.clf('login');
    const follower = rig.start({}, 'audit', '-f', '--json');
    await follower.saw('auth.login');
    await rig.clf('token', 'create', 'one');
    await follower.saw('token.create');
    await rig.clf('token', 'revoke', 'one');
    await follower.saw('token.revoke');
    follower.child.kill('SIGINT');
    const { code, stdout } = await follower.result;
    assert.equal(code, 0);
    const numbers = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => (numbers[0] ?? 0) + index),
      'no gap, none twice',
    );
  },
);

test(
  'the audit log of one run, and who ended it by the name of the device',
  options,
  async (context) => {
    const rig = createGatewayRig(context);
    const { url } = await rig.serve();
    await rig.clf('login');
    for (const name of ['one', 'two']) {
      await rig.clf('run', '-d', '-g', url, '--name', name, '--', 'sleep', '600');
    }
    await rig.clf('kill', '-g', url, '-9', 'one');
    await rig.clf('kill', '-g', url, 'two');
    const ofOne = (await rig.clf('audit', '-g', url, 'one')).stdout;
    assert.match(
      ofOne,
      /^\d{4}-\d\d-\d\dT\S+Z run\.start .*\n\S+ run\.signal .* signal="SIGKILL"\n$/,
    );
    await rig.clf('token', 'create', 'of-this-device');
    const made = (await rig.clf('audit', '--action', 'token.create')).stdout;
    assert.match(made, / token\.create device:\S+ \(clf of .+\) → /);
    const shown = (await rig.clf('show', '-g', url, 'one')).stdout;
    assert.match(shown, /^Run \w+ killed by SIGKILL, sent by device:\S+ \(.+\)\.$/m);
    const unknown = await rig.clf('audit', '-g', url, '--action', 'run.begin');
    assert.match(unknown.stderr, /No action is called "run\.begin" here\. Known: .*run\.start/);
  },
);

test(
  'on this machine a run begins where one is, and no time limit is put on it',
  options,
  async (context) => {
    const rig = createGatewayRig(context);
    const { url } = await rig.serve();
    await rig.clf('login');
    const here = process.cwd();
    assert.notEqual(here, rig.env['HOME'], 'which is where the gateway would begin it');
    const pwd = await rig.clf('run', '-g', url, '--', 'pwd');
    assert.equal(pwd.stdout, `${here}\n`);
    const above = await rig.clf('run', '-g', url, '-C', '..', '--', 'pwd');
    assert.equal(above.stdout, `${dirname(here)}\n`);
    const deadlineOf = async (...flags: string[]): Promise<unknown> => {
      const argv = ['-d', '-g', url, ...flags, '--', 'sleep', '600'];
      const id = (await rig.clf('run', ...argv)).stdout.trim();
      const { stdout } = await rig.clf('ps', '--json');
      await rig.clf('kill', '-g', url, id);
      return (JSON.parse(stdout) as { timeoutMs: unknown }).timeoutMs;
    };
    assert.equal(await deadlineOf(), null);
    assert.equal(await deadlineOf('--timeout', '1h'), 3_600_000);
  },
);
