/*
 * The keys of addresses change once a month, and no address is lost by it.
 */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type AccountId, createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { addressMs } from '../../src/artifacts/limits.ts';
import { createSigner } from '../../src/artifacts/signed-address.ts';
import { openUrlKeys } from '../../src/artifacts/url-keys.ts';

const system = createSystemClock();
const name = { accountId: 'a' as AccountId, artifactId: 'x', expires: 1 };
const monthMs = 30 * 24 * 3_600_000;

test('a key that is a month old signs no more, is still good for what it has signed, and goes after that', async () => {
  const place = await mkdtemp(join(tmpdir(), 'clf-url-keys-'));
  await chmod(place, 0o700);
  const directory = join(place, 'url-keys');
  const startAt = async (offsetMs: number) => {
    const clock = { ...system, wallMs: () => system.wallMs() + offsetMs };
    return createSigner(await openUrlKeys(directory, { clock, random: createSystemRandom() }));
  };
  try {
    const old = (await startAt(0)).sign(name);
    assert.equal((await startAt(monthMs - 60_000)).sign(name), old, 'not yet');
    const rotated = await startAt(monthMs + 60_000);
    const fresh = rotated.sign(name);
    assert.notEqual(fresh, old);
    assert.ok(rotated.isSigned(name, old) && rotated.isSigned(name, fresh));
    assert.ok(!rotated.isSigned({ ...name, accountId: 'b' as AccountId }, fresh));
    // Its file was made now: what the one before has signed is over after two days.
    const later = await startAt(2 * addressMs + 60_000);
    assert.ok(!later.isSigned(name, old) && later.isSigned(name, fresh));
    assert.equal((await readdir(directory)).filter((file) => file.endsWith('.key')).length, 1);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});
