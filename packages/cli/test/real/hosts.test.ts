/*
 * `clf host`, `clf key` and `clf session` without a terminal, against a gateway whose hosts answer as they are told.
 */
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cliShapes, type CliShape } from '@clawdfather/protocol';
import { createCliRig, type CliResult } from '../support/cli-process.ts';
import { createGatewayRig } from '../support/gateway-rig.ts';
import { createHostRig, firstKey, type HostRig, otherKey } from '../support/host-gateway.ts';

const options = { timeout: 60_000 };

/* One line of JSON, of a shape and with nothing beyond it. */
function parse(shape: CliShape, { stdout, stderr }: CliResult): Record<string, unknown> {
  const json: unknown = JSON.parse(stdout || `"${stderr}"`);
  assert.deepEqual(cliShapes[shape].parse(json), json);
  return json as Record<string, unknown>;
}

const addWeb = ({ clf }: HostRig) => clf('host', 'add', 'web', 'deploy@web.example.org:2222');

test('without a gateway each of them says how to get one', options, async (context) => {
  const rig = createCliRig(context);
  for (const line of ['host ls', 'host add web a@b', 'key ls', 'session start web']) {
    const { code, stderr } = await rig.clf(...line.split(' '));
    assert.equal(code, 125);
    assert.match(stderr, /SSH hosts need a gateway/);
    assert.match(stderr, /clf serve/);
    assert.match(stderr, /gateway-needed/);
  }
});

test(
  'add: a key and a host are made, what is left to do is printed, and the code says so',
  options,
  async (context) => {
    const rig = await createHostRig(context);
    const { clf, host } = rig;
    const added = await addWeb(rig);
    assert.deepEqual([added.code, added.stderr], [1, '']);
    assert.match(added.stdout, /^web is added\.\nA key was made: "main", SHA256:/);
    assert.match(added.stdout, /On web\.example\.org, as deploy, run this once/);
    assert.match(added.stdout, /authorized_keys/);
    assert.match(added.stdout, /clf host test web\nclf host trust web FINGERPRINT\n$/);
    assert.equal(host.tests, 0, 'nothing was tried');
    const again = await addWeb(rig);
    assert.equal(again.code, 125);
    assert.match(again.stderr, /there is a host called "web" already/);
    assert.match(again.stderr, /clf host test web/);

    const listed = await clf('host', 'ls');
    assert.match(
      listed.stdout,
      /^NAME +TEST +WHEN +AGENTS +ADDRESS\nweb +untested +ask +deploy@web\.example\.org:2222\n$/,
    );
    const json = parse('host-added', await clf('host', 'add', 'db', 'root@10.0.0.7', '--json'));
    assert.equal(json['isProven'], false);
    parse('host', await clf('host', 'show', 'db', '--json'));
    assert.match((await clf('host', 'show', 'db')).stdout, /host key +none trusted yet\n/);
    assert.equal(
      (await clf('key', 'ls', '--json')).stdout.trim().split('\n').length,
      1,
      'the same key',
    );
  },
);

test(
  'a script tests, trusts the fingerprint that it knows, and only that one',
  options,
  async (context) => {
    const rig = await createHostRig(context);
    const { clf, host } = rig;
    await addWeb(rig);
    host.hasKey = 'old';
    const unknown = await clf('host', 'test', 'web');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stdout, /shows the key SHA256:a{43}\n/);
    assert.match(unknown.stdout, /clf host trust web SHA256:a{43}\n$/);
    const wrong = await clf('host', 'trust', 'web', otherKey, '--json');
    assert.equal(wrong.code, 1);
    assert.equal(parse('host-test', wrong)['result'], 'host_key_unknown');
    assert.equal((await clf('host', 'trust', 'web')).code, 1, 'no terminal, no trust');
    const right = await clf('host', 'trust', 'web', firstKey);
    assert.deepEqual([right.code, right.stdout], [0, 'web: ok, 12 ms\n']);
    const tested = parse('host-test', await clf('host', 'test', 'web', '--json'));
    assert.deepEqual([tested['result'], tested['pinnedFingerprint']], ['ok', firstKey]);
  },
);

test('a changed host key is told with both, and is a decision', options, async (context) => {
  const rig = await createHostRig(context);
  const { clf, host } = rig;
  await addWeb(rig);
  host.hasKey = 'old';
  assert.equal((await clf('host', 'test', '--accept-host-key', 'web')).code, 0);
  host.fingerprint = otherKey;
  const changed = await clf('host', 'test', 'web');
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /has CHANGED/);
  assert.match(changed.stdout, /trusted +SHA256:a{43}\n +shown +SHA256:b{43}\n/);
  assert.match(changed.stdout, /clf host trust web SHA256:b{43}\n$/);
  assert.match((await clf('host', 'ls')).stdout, /web +host key changed /);
  const json = parse('host-test', await clf('host', 'test', 'web', '--json'));
  assert.deepEqual(
    [json['result'], json['hostKeyFingerprint'], json['pinnedFingerprint']],
    ['host_key_changed', otherKey, firstKey],
  );
  assert.equal((await clf('host', 'trust', 'web', otherKey)).code, 0);
});

test('keys: made, shown, installed, rotated host by host, revoked', options, async (context) => {
  const rig = await createHostRig(context);
  const { clf, host } = rig;
  assert.match((await clf('key', 'ls')).stdout, /^No keys yet/);
  const none = await clf('key', 'show');
  assert.deepEqual([none.code, /key-not-found/.test(none.stderr)], [125, true]);
  const made = parse('key', await clf('key', 'create', 'work', '--json'));
  assert.equal((await clf('key', 'show', '--public')).stdout, `${String(made['publicKey'])}\n`);
  parse('install-command', await clf('key', 'install-command', 'work', '--json'));
  assert.match((await clf('key', 'install-command')).stdout, /authorized_keys/);

  await clf('host', 'add', 'web', 'deploy@web.example.org', '--key', 'work');
  host.hasKey = 'old';
  await clf('host', 'test', '--accept-host-key', 'web');
  const rotated = parse('rotated-key', await clf('key', 'rotate', '--json'));
  assert.deepEqual([rotated['oldId'], rotated['hosts']], [made['id'], ['web']]);
  const both = await clf('key', 'ls');
  assert.match(both.stdout, /work +active +SHA256:\S+ +web\n/);
  assert.match(both.stdout, /work +rotated +SHA256:\S+ +web\n/);
  const before = await clf('host', 'test', 'web');
  assert.equal(before.code, 0);
  assert.match(before.stdout, /came in with the old key.*clf key install-command \w{16}\n/);
  assert.match((await clf('host', 'show', 'web')).stdout, /new key .*\(not proven\)\n/);
  host.hasKey = 'new';
  assert.match(
    (await clf('host', 'test', 'web')).stdout,
    /^web: ok, 12 ms\nIt came in with the new key/,
  );
  assert.equal((await clf('host', 'test', 'web')).stdout, 'web: ok, 12 ms\n');
  const after = parse('key', await clf('key', 'ls', '--json'));
  assert.deepEqual([after['id'], after['status']], [rotated['id'], 'active']);

  const told = await clf('key', 'rotate', 'work');
  assert.match(told.stdout, /keep the old one until the new one is proven/);
  assert.match(told.stdout, /clf host test web\n$/);
  parse('revoked-key', await clf('key', 'revoke', 'work', '--json'));
  const missing = await clf('key', 'revoke', 'nothing');
  assert.deepEqual([missing.code, /key-not-found/.test(missing.stderr)], [125, true]);
});

test('with several keys one has to be named', options, async (context) => {
  const { clf } = await createHostRig(context);
  await clf('key', 'create', 'one');
  await clf('key', 'create', 'two');
  for (const line of ['key show', 'key rotate', 'host add web a@b']) {
    const { code, stderr } = await clf(...line.split(' '));
    assert.equal(code, 125);
    assert.match(stderr, /there are several keys: (one, two|two, one)/);
  }
  const added = await clf('host', 'add', 'web', 'a@b', '--key', 'two');
  assert.match(added.stdout, /The key: "two"/);
});

test('a test that is asked for too often says when to try again', options, async (context) => {
  const rig = await createHostRig(context);
  const { clf } = rig;
  await addWeb(rig);
  for (let left = 5; left > 0; left -= 1) await clf('host', 'test', 'web');
  const { code, stderr } = await clf('host', 'test', 'web');
  assert.equal(code, 125);
  assert.match(stderr, /^clf: this was asked for too often\n {2}Try again in [0-9.]+[sm]\.\n/);
});

test('a host cannot have the name that means none', options, async (context) => {
  const { clf } = await createHostRig(context);
  const { code, stderr } = await clf('host', 'add', 'local', 'a@b');
  assert.deepEqual([code, /"local" is no name for a host/.test(stderr)], [125, true]);
  assert.match((await clf('host', 'ls')).stdout, /^No hosts yet/);
});

test('a host is removed by its name or the beginning of its id', options, async (context) => {
  const rig = await createHostRig(context);
  const { clf } = rig;
  await addWeb(rig);
  const { id } = parse('host', await clf('host', 'ls', '--json')) as { id: string };
  assert.match((await clf('host', 'show', id.slice(0, 8))).stdout, /name +web\n/);
  parse('removed-host', await clf('host', 'rm', 'web', '--json'));
  const gone = await clf('host', 'rm', 'web');
  assert.deepEqual([gone.code, /host-not-found/.test(gone.stderr)], [125, true]);
  assert.match((await clf('host', 'ls')).stdout, /^No hosts yet/);
});

test('sessions: started, listed, closed by id or host', options, async (context) => {
  const rig = await createHostRig(context);
  const { clf } = rig;
  assert.match((await clf('session', 'ls')).stdout, /^No open sessions/);
  const started = parse('session', await clf('session', 'start', '--json'));
  assert.deepEqual([started['status'], started['host']], ['active', null]);
  assert.match((await clf('session', 'ls')).stdout, /the gateway's machine +active/);
  const closed = await clf('session', 'close', String(started['id']).slice(0, 8), '--json');
  assert.deepEqual(parse('session', closed)['closeReason'], 'user');
  assert.match((await clf('session', 'ls', '-a')).stdout, / user /);
  const missing = await clf('session', 'close', 'web');
  assert.deepEqual([missing.code, /session-not-found/.test(missing.stderr)], [125, true]);
  await addWeb(rig);
  const untested = await clf('session', 'start', 'web');
  assert.deepEqual([untested.code, /connection_not_tested/.test(untested.stderr)], [125, true]);
  assert.match(untested.stderr, /Test it: clf host test NAME/);
});

test('Tab knows hosts, keys and sessions of the gateway', options, async (context) => {
  const rig = await createHostRig(context);
  const { clf } = rig;
  const wordsFor = async (line: string): Promise<string[]> => {
    const { stdout } = await clf('__complete', '--', ...line.split(' '));
    return stdout
      .split('\n')
      .slice(1)
      .filter(Boolean)
      .map((word) => word.split('\t')[0] ?? '');
  };
  await addWeb(rig);
  await clf('host', 'add', 'a b', 'root@other.example');
  const [session = ''] = (await clf('session', 'start')).stdout.split('\n');
  const hosts = await wordsFor('host test ');
  assert.ok(hosts.includes('web') && hosts.length === 2);
  assert.ok(
    hosts.every((word) => /^[\w.-]+$/.test(word)),
    'a label that a shell would split goes by its id',
  );
  assert.deepEqual(await wordsFor('key rotate ma'), ['main']);
  assert.deepEqual(await wordsFor('host add --key ma'), ['main']);
  assert.deepEqual(await wordsFor('session close '), [session]);
  assert.deepEqual(await wordsFor('host '), ['ls', 'show', 'add', 'test', 'trust', 'policy', 'rm']);
});

test(
  'rotate-master: a gateway that runs goes on with the new key, and stored keys move to it',
  options,
  async (context) => {
    const rig = createGatewayRig(context);
    const missing = await rig.clf('key', 'rotate-master');
    assert.deepEqual([missing.code, /master-key-missing/.test(missing.stderr)], [125, true]);
    await rig.serve();
    await rig.clf('login');
    assert.equal((await rig.clf('key', 'create', 'before')).code, 0);
    const keysDir = join(rig.stateDir, 'master-keys');
    const rotated = parse('rotated-master-key', await rig.clf('key', 'rotate-master', '--json'));
    assert.equal(rotated['directory'], keysDir);
    assert.equal((rotated['previous'] as string[]).length, 1);
    assert.deepEqual(readdirSync(keysDir).toSorted(), ['1.key', '2.key']);
    assert.equal((await rig.clf('key', 'create', 'after')).code, 0, 'without a restart');
    const told = await rig.clf('key', 'rotate-master');
    assert.match(told.stdout, /the older 2 stay needed/);
    await rig.clf('stop');
    for (const name of ['2.key', '3.key']) rmSync(join(keysDir, name));
    const refused = await rig.clf('serve', '--listen', '127.0.0.1:0');
    assert.match(refused.stderr, /master-key-missing/, 'what was used is known, and missed');
    assert.ok(refused.stderr.includes(String(rotated['id'])));
  },
);
