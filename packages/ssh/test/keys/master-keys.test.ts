/*
 * Master keys: made once, private, never lost; and the custody over them, also when a rotation is killed.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { openStore, parseAccountId } from '@clawdfather/store';
import {
  createKeyCustody,
  createMasterKms,
  openMasterKeys,
  rotateMasterKey,
} from '@clawdfather/ssh';

const random = createSystemRandom();
const audit = { action: 'test', actor: 'test' };

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'clf-master-'));
  try {
    await work(join(parent, 'keys'));
  } finally {
    await rm(parent, { recursive: true });
  }
}

test('the first start makes a key that only we can read; the next ones find it', () =>
  inDirectory(async (directory) => {
    const [first, ...none] = await openMasterKeys(directory, random);
    assert.deepEqual([first.bytes.length, none], [32, []]);
    assert.deepEqual(await readdir(directory), ['1.key']);
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    assert.equal((await stat(join(directory, '1.key'))).mode & 0o777, 0o600);
    assert.deepEqual(await openMasterKeys(directory, random), [first]);
  }));

test('of many who start at once all get the same key', () =>
  inDirectory(async (directory) => {
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => openMasterKeys(directory, random)),
    );
    assert.equal(new Set(opened.map(([{ id }]) => id)).size, 1);
    assert.deepEqual(await readdir(directory), ['1.key']);
  }));

test('a rotation adds a current key and keeps the previous ones', () =>
  inDirectory(async (directory) => {
    const [one] = await openMasterKeys(directory, random);
    for (let count = 0; count < 10; count += 1) await rotateMasterKey(directory, random);
    const keys = await openMasterKeys(directory, random);
    assert.equal(keys.length, 11);
    assert.deepEqual(keys.at(-1), one);
    assert.equal(new Set(keys.map(({ id }) => id)).size, 11);
  }));

test('where keys are known none is made, and other keys are refused', () =>
  inDirectory(async (directory) => {
    const known = ['0123456789abcdef'];
    const missing = { code: 'master-key-missing', detail: { directory, ids: known } };
    await assert.rejects(openMasterKeys(directory, random, known), missing);
    assert.deepEqual(await readdir(directory), []);
    const [{ id }] = await openMasterKeys(directory, random);
    await assert.rejects(openMasterKeys(directory, random, [id, ...known]), missing);
    await rotateMasterKey(directory, random);
    assert.equal((await openMasterKeys(directory, random, [id])).length, 2);
  }));

test('what others could have read or placed is refused', () =>
  inDirectory(async (directory) => {
    await openMasterKeys(directory, random);
    const path = join(directory, '1.key');
    await chmod(path, 0o640);
    await assert.rejects(openMasterKeys(directory, random), { code: 'master-key-unsafe' });
    await chmod(path, 0o600);
    await writeFile(path, 'short\n');
    await assert.rejects(openMasterKeys(directory, random), { code: 'master-key-invalid' });
    await rm(path);
    await symlink('/dev/zero', path);
    await assert.rejects(openMasterKeys(directory, random), { code: 'master-key-unsafe' });
    const linked = `${directory}-link`;
    await symlink(directory, linked);
    await assert.rejects(openMasterKeys(linked, random), { code: 'master-key-unsafe' });
    await mkdir(`${directory}-open`, { mode: 0o777 });
    await openMasterKeys(`${directory}-open`, random);
    assert.equal((await stat(`${directory}-open`)).mode & 0o777, 0o700);
  }));

test(
  'a rotation that is killed at any moment leaves every secret readable',
  { timeout: 120_000 },
  () =>
    inDirectory(async (directory) => {
      const path = `${directory}.db`;
      const store = await openStore(
        { kind: 'sqlite', path },
        { clock: createSystemClock(), random },
      );
      try {
        const owner = await store.system.accounts.ensureOwner({ displayName: 'O', audit });
        const accountId = parseAccountId(owner.id);
        const { keypairs } = store.forAccount(accountId);
        const custodyNow = async () => {
          const kms = createMasterKms(await openMasterKeys(directory, random), random);
          return createKeyCustody({
            recordsOf: (id) => store.forAccount(id).keypairs,
            random,
            kms,
          });
        };
        const secrets = new Map<string, string>();
        const custody = await custodyNow();
        for (const label of ['a', 'b', 'c']) {
          const key = await custody.create(accountId, label);
          await keypairs.create({ key, label, activeMax: 5, audit });
          secrets.set(key.id, (await custody.open(accountId, key.id))?.toString() ?? '');
        }
        const program = join(import.meta.dirname, '../fixtures/rotating-keys.ts');
        const ids = [...secrets.keys()];
        const masterIds = async () => (await openMasterKeys(directory, random)).map(({ id }) => id);
        let before = await masterIds();
        for (let steps = 1; steps <= 12; steps += 1) {
          await killAfter([program, path, directory, accountId, ...ids], steps);
          const after = await masterIds();
          // No key of before is gone, in whatever state the rotation was.
          assert.deepEqual(after.slice(-before.length), before);
          before = after;
          const opener = await custodyNow();
          for (const [id, secret] of secrets) {
            assert.equal((await opener.open(accountId, id))?.toString(), secret);
          }
        }
        const names = await readdir(directory);
        assert.deepEqual(
          names.filter((name) => !name.endsWith('.key')),
          [],
        );
        // It did rotate, and what was opened last is wrapped by the current key.
        assert.ok(before.length > 3);
        const sealed = await keypairs.sealedOf(ids[0] ?? '');
        assert.equal(sealed?.split('.')[2], before[0]);
      } finally {
        await store.close();
      }
    }),
);

/* Kills it when it has said that many lines; it has gone on a little by then, or not. */
async function killAfter(args: readonly string[], lines: number): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    assert.ok(line === 'rotate' || line === 'rewrap');
    seen += 1;
    if (seen >= lines) child.kill('SIGKILL');
  }
  await gone;
  assert.equal(child.signalCode, 'SIGKILL');
}
