/*
 * A gateway that moves to another machine: its database and its master keys from a backup, in a home that has nothing yet. Wrong or
 * missing keys are noticed before they are needed.
 */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createGatewayRig, type GatewayRig } from '../support/gateway-rig.ts';

const options = { timeout: 120_000 };

const keyOf = (rig: GatewayRig): string => join(rig.stateDir, 'master-keys', '1.key');

/* Started so that the rig ends it, should it not be refused. */
const refusedStart = (rig: GatewayRig) => rig.start({}, 'serve', '--listen', '127.0.0.1:0').result;

/* A backup with its keys, in a directory of its own, and an empty home. */
async function backedUp(context: TestContext) {
  const old = createGatewayRig(context);
  await old.serve();
  const kept = join(old.env['HOME'] ?? '', 'kept');
  mkdirSync(kept, { mode: 0o700 });
  const path = join(kept, 'backup');
  const made = await old.clf('backup', '--with-keys', path);
  assert.equal(made.code, 0, made.stderr);
  await old.clf('stop');
  const fresh = createGatewayRig(context);
  assert.ok(!existsSync(fresh.stateDir));
  return { old, fresh, path };
}

test(
  'a backup and its keys are restored into a home without anything',
  options,
  async (context) => {
    const { old, fresh, path } = await backedUp(context);
    const restored = await fresh.clf('restore', path);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /The master key is in place: /);
    assert.equal(statSync(fresh.stateDir).mode & 0o777, 0o700);
    assert.equal(statSync(keyOf(fresh)).mode & 0o777, 0o600);
    assert.deepEqual(readFileSync(keyOf(fresh)), readFileSync(keyOf(old)));
    await fresh.serve();
    assert.match((await fresh.clf('doctor')).stdout, /ok {4}master-keys: 1 in /);
  },
);

test(
  'without its keys it is said, refused, and noticed; with them all is well',
  options,
  async (context) => {
    const { fresh, path } = await backedUp(context);
    const keys = `${path}-elsewhere`;
    cpSync(`${path}.keys`, keys, { recursive: true });
    rmSync(`${path}.keys`, { recursive: true });
    const restored = await fresh.clf('restore', path);
    assert.match(restored.stderr, /a master key that this database was used with is not in /);
    const refused = await refusedStart(fresh);
    assert.equal(refused.code, 125);
    assert.match(refused.stderr, /master-key-missing/);
    assert.match(refused.stderr, /clf restore FILE --keys DIR.*clf serve --accept-lost-keys/s);
    assert.ok(!existsSync(keyOf(fresh)), 'none is made in its place');
    const doctor = await fresh.clf('doctor');
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /FAIL {2}master-keys: /);
    const json = await fresh.clf('restore', '--json', path, '--keys', keys);
    const { keysPlaced, keysMissing } = JSON.parse(json.stdout) as Record<string, unknown>;
    assert.deepEqual([keysPlaced, keysMissing], [['1.key'], []]);
    await fresh.serve();
  },
);

test(
  'a key of another gateway is never replaced, and found by doctor',
  options,
  async (context) => {
    const { fresh, path } = await backedUp(context);
    await fresh.serve();
    await fresh.clf('stop');
    const [own, database] = [readFileSync(keyOf(fresh)), join(fresh.stateDir, 'control.db')];
    const before = readFileSync(database);
    const refused = await fresh.clf('restore', path);
    assert.equal(refused.code, 125);
    assert.match(refused.stderr, /is another key than .*\n.*Nothing was changed/);
    assert.deepEqual([readFileSync(keyOf(fresh)), readFileSync(database)], [own, before]);
    assert.ok(!readdirSync(fresh.stateDir).some((name) => name.includes('replaced')));
    rmSync(`${path}.keys`, { recursive: true });
    await fresh.clf('restore', path);
    assert.match((await fresh.clf('doctor')).stdout, /FAIL {2}master-keys: the keys in .* are not/);
    assert.equal((await refusedStart(fresh)).code, 125);
    await fresh.serve('--accept-lost-keys');
    await fresh.clf('stop');
    await fresh.serve();
  },
);

test('a directory without keys is no place to take them from', options, async (context) => {
  const { fresh, path } = await backedUp(context);
  const refused = await fresh.clf('restore', path, '--keys', join(path, '..'));
  assert.equal(refused.code, 125);
  assert.match(refused.stderr, /there are no master keys in .*\n.*Nothing was changed/);
  assert.ok(!existsSync(join(fresh.stateDir, 'control.db')));
});
