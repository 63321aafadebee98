/*
 * What we make is ours alone, whatever the umask of the caller is; what we start has that umask.
 *
 * Everything is used once in a fresh home under a wide umask, and then every file that is there is looked at.
 */
import assert from 'node:assert/strict';
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { type TestContext, test } from 'node:test';
import { createGatewayRig, type GatewayRig } from '../support/gateway-rig.ts';
import { createMcpRig } from '../support/mcp-rig.ts';

/* For everything that the test starts; its own files are made before or by command. */
function withUmask(context: TestContext, umask: number): void {
  const before = process.umask(umask);
  context.after(() => process.umask(before));
}

function createFreshRig(context: TestContext): GatewayRig & { readonly home: string } {
  const rig = createGatewayRig(context);
  const home = rig.env['HOME'] ?? '';
  // Otherwise nothing would be reachable anyway.
  chmodSync(home, 0o755);
  for (const name of ['XDG_CACHE_HOME', 'XDG_CONFIG_HOME']) delete rig.env[name];
  return { ...rig, home };
}

interface Made {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
}

function everythingIn(home: string): Made[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).map((path) => {
    const { mode, uid } = lstatSync(join(home, path));
    return { path, mode: mode & 0o777, uid };
  });
}

/* Of everything that is kept, so that a look at nothing is noticed: the last three are a run's journal and socket, and code. */
const parts = [
  /registry\.db$/,
  /registry\.db-wal$/,
  /control\.db$/,
  /control\.db-shm$/,
  /gateways\.json$/,
  /login-links\/./,
  /master-keys\/1\.key$/,
  /backup\.db$/,
  /backup\.db\.keys\/1\.key$/,
  /runs\/\w+\/j-0/,
  /runs\/\w+\/s$/,
  /\.cache\/clawdfather\/code\/.*\/./,
];

for (const umask of [0o000, 0o002]) {
  const name = umask.toString(8).padStart(3, '0');
  test(`umask ${name}: all that is made is ours alone, and commands have the umask of their caller`, async (context) => {
    const rig = createFreshRig(context);
    withUmask(context, umask);
    const wanted = `0${name}\n`;

    assert.equal((await rig.clf('run', '--', 'sh', '-c', 'umask')).stdout, wanted, 'clf run');
    assert.equal((await rig.clf('exec', '--', 'sh', '-c', 'umask')).stdout, wanted, 'clf exec');
    await rig.clf('run', '--detach', '--pty', '--name', 'clock', '--', 'sleep', '600');

    const { url } = await rig.serve();
    assert.equal((await rig.clf('login')).code, 0);
    const through = await rig.clf('run', '-g', url, '--', 'sh', '-c', 'umask');
    assert.equal(through.stdout, wanted, 'through the gateway');
    assert.equal((await rig.clf('token', 'create', 'ci')).code, 0);
    assert.equal((await rig.clf('login', '--link')).code, 0);

    const agent = await createMcpRig(context, rig).connect();
    assert.equal((await agent.call('exec', { command: 'umask' })).data['output'], wanted, 'mcp');

    const backup = join(rig.home, 'backup.db');
    assert.equal((await rig.clf('backup', '--with-keys', backup)).code, 0);

    const made = everythingIn(rig.home);
    for (const part of parts) {
      assert.ok(
        made.some(({ path }) => part.test(path)),
        `${part.source} was made`,
      );
    }
    const open = made.filter((one) => (one.mode & 0o077) !== 0 || one.uid !== getuid?.());
    assert.deepEqual(open, []);
    await rig.clf('kill', 'clock');
  });
}

test('what an older version left open below a closed directory is closed, and goes on working', async (context) => {
  const rig = createFreshRig(context);
  const before = await rig.clf('run', '--name', 'old', '--', 'echo', 'kept');
  assert.equal(before.code, 0);
  for (const name of ['registry.db', 'registry.db-wal', 'registry.db-shm']) {
    const path = join(rig.stateDir, name);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) chmodSync(path, 0o664);
  }
  chmodSync(rig.stateDir, 0o755);
  assert.equal((await rig.clf('logs', 'old')).stdout, 'kept\n');
  assert.equal(statSync(rig.stateDir).mode & 0o777, 0o700);
  assert.equal(statSync(join(rig.stateDir, 'registry.db')).mode & 0o777, 0o600);
});

test('a state directory that another user can exchange is refused with the command that mends it', async (context) => {
  const rig = createFreshRig(context);
  const above = join(rig.home, 'open');
  mkdirSync(above);
  chmodSync(above, 0o777);
  rig.env['CLAWDFATHER_STATE_DIR'] = join(above, 'state');
  const refused = await rig.clf('run', '--', 'true');
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /open is not safe from other users: everybody can write to it/);
  const [, command = ''] = /Mend it: (chmod go-w \S+)/.exec(refused.stderr) ?? [];
  assert.equal(command, `chmod go-w ${above}`);
  const doctor = await rig.clf('doctor');
  assert.ok(doctor.stdout.includes(command), doctor.stdout);
  const served = await rig.clf('serve', '--listen', '127.0.0.1:0');
  assert.ok(served.stderr.includes(command), served.stderr);
  chmodSync(above, 0o755);
  assert.equal((await rig.clf('run', '--', 'true')).code, 0);
});

test('settings and tokens are not read, and a database not opened, where others can exchange them', async (context) => {
  const rig = createFreshRig(context);
  const config = join(rig.home, '.config/clawdfather');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.jsonc'), '{}', { mode: 0o600 });
  chmodSync(join(rig.home, '.config'), 0o777);
  const cure = `chmod go-w ${join(rig.home, '.config')}`;
  const settings = await rig.clf('ps');
  assert.ok(settings.stderr.includes(cure), settings.stderr);
  const place = { CLAWDFATHER_CONFIG: '/dev/null' };
  writeFileSync(join(config, 'gateways.json'), '{"gateways":[]}', { mode: 0o600 });
  const gateways = await rig.clfWith({ env: place }, 'ps');
  assert.ok(gateways.stderr.includes(cure), gateways.stderr);

  const open = join(rig.home, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const elsewhere = { ...place, CLAWDFATHER_GATEWAY_DATABASE_PATH: join(open, 'control.db') };
  const served = await rig.clfWith({ env: elsewhere }, 'serve', '--listen', '127.0.0.1:0');
  assert.ok(served.stderr.includes(`chmod go-w ${open}`), served.stderr);
  const keys = { ...place, CLAWDFATHER_GATEWAY_MASTER_KEYS_DIR: join(open, 'keys') };
  const keyed = await rig.clfWith({ env: keys }, 'serve', '--listen', '127.0.0.1:0');
  assert.ok(keyed.stderr.includes(`chmod go-w ${open}`), keyed.stderr);
});

test('a cache that is not safe is told of by doctor, and only there', async (context) => {
  const rig = createFreshRig(context);
  mkdirSync(join(rig.home, '.cache'));
  chmodSync(join(rig.home, '.cache'), 0o777);
  const run = await rig.clf('run', '--', 'echo', 'hi');
  assert.deepEqual({ stdout: run.stdout, stderr: run.stderr }, { stdout: 'hi\n', stderr: '' });
  const doctor = await rig.clf('doctor');
  assert.match(doctor.stdout, /code-cache.*everybody can write to it/);
  assert.ok(doctor.stdout.includes(`chmod go-w ${join(rig.home, '.cache')}`));
  chmodSync(join(rig.home, '.cache'), 0o755);
  assert.match((await rig.clf('doctor')).stdout, /code-cache/);
  assert.doesNotMatch((await rig.clf('doctor')).stdout, /code-cache.*not kept/);
});
