/*
 * A gateway that runs while its master keys are rotated: it follows, and never uses a key that a restart would not find.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import { openSecret, rewrapSecret, sealSecret } from '../../src/keys/envelope.ts';
import { type FileKmsDeps, openFileKms } from '../../src/keys/file-kms.ts';
import type { Kms } from '../../src/keys/kms.ts';
import { openMasterKeys, rotateMasterKey } from '../../src/keys/master-keys.ts';

const random = createSystemRandom();
const place = { table: 't', rowId: 'r', accountId: 'a', version: 1 };

interface World {
  readonly directory: string;
  readonly open: (deps?: Partial<FileKmsDeps>) => Promise<Kms>;
  /* What was noted, call by call. */
  readonly noted: (readonly string[])[];
  readonly ids: () => Promise<readonly string[]>;
}

async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'clf-kms-'));
  const directory = join(parent, 'keys');
  const noted: (readonly string[])[] = [];
  const note = async (ids: readonly string[]): Promise<void> => void noted.push(ids);
  const open = (deps: Partial<FileKmsDeps> = {}): Promise<Kms> =>
    openFileKms({ directory, random, knownIds: [], note, ...deps });
  const ids = async (): Promise<readonly string[]> =>
    (await openMasterKeys(directory, random)).map(({ id }) => id);
  try {
    await work({ directory, open, noted, ids });
  } finally {
    await rm(parent, { recursive: true });
  }
}

const seal = (kms: Kms): Promise<string> =>
  sealSecret({ kms, random }, place, Buffer.from('secret'));
const masterOf = (sealed: string): string | undefined => sealed.split('.')[2];

test('a key that was added while it runs wraps from then on, and is noted before', () =>
  inWorld(async ({ directory, open, noted, ids }) => {
    const kms = await open();
    const before = await seal(kms);
    assert.deepEqual(noted, [await ids()]);
    await rotateMasterKey(directory, random);
    const [current, previous] = await ids();
    assert.equal(masterOf(before), previous);
    const after = await seal(kms);
    assert.equal(masterOf(after), current);
    assert.deepEqual(noted.at(-1), [current, previous]);
    const moved = (await rewrapSecret({ kms }, place, before)) ?? '';
    assert.equal(masterOf(moved), current);
    for (const sealed of [before, after, moved]) {
      assert.equal((await openSecret({ kms }, place, sealed)).toString(), 'secret');
    }
    assert.equal(noted.length, 2, 'nothing new, nothing noted');
  }));

test('FK3: two gateways follow the same rotation, whichever uses the new key first', () =>
  inWorld(async ({ directory, open }) => {
    const [one, other] = [await open(), await open()];
    await rotateMasterKey(directory, random);
    const sealed = await seal(one);
    assert.equal((await openSecret({ kms: other }, place, sealed)).toString(), 'secret');
  }));

test('FK1: a key that could not be noted is not used', () =>
  inWorld(async ({ directory, open }) => {
    let isLost = false;
    const kms = await open({
      note: async () => {
        if (isLost) throw new Error('no database');
      },
    });
    await rotateMasterKey(directory, random);
    isLost = true;
    await assert.rejects(seal(kms), /no database/);
    isLost = false;
    assert.ok(await seal(kms));
  }));

test('FK2: without its files it opens what it can and wraps nothing', () =>
  inWorld(async ({ directory, open }) => {
    const kms = await open();
    const sealed = await seal(kms);
    await rename(directory, `${directory}.away`);
    assert.equal((await openSecret({ kms }, place, sealed)).toString(), 'secret');
    await assert.rejects(seal(kms), { code: 'master-key-missing' });
    await rm(directory, { recursive: true });
    await rename(`${directory}.away`, directory);
    assert.ok(await seal(kms));
  }));

test('where there is no key, none is made by a rotation', () =>
  inWorld(async ({ directory, ids }) => {
    await assert.rejects(rotateMasterKey(directory, random), { code: 'master-key-missing' });
    assert.equal((await ids()).length, 1);
  }));
