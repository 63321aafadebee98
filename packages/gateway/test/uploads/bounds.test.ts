/*
 * What files for prompts may take of the disk: together, at once, after a refusal, and of an account that never comes back.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createSystemClock } from '@clawdfather/kit';
import { type Client, createClient, RefusedError } from '@clawdfather/sdk';
import { openGateway } from '../../src/open-gateway.ts';
import { safeName } from '../../src/uploads/copies.ts';
import { openTestGateway, systemDeps, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { untilTrue } from '../hosts/host-world.ts';

const bytes = new TextEncoder().encode('a picture of a screen');
const mebibyte = 1024 * 1024;

function clientOf({ url, owner }: TestGateway): Client {
  return createClient({ baseUrl: url, token: owner.token });
}

async function bring(client: Client, name = 'screen.png'): Promise<string> {
  const { upload } = await client.uploads.create({ body: { name, size: bytes.length } });
  const { id } = upload;
  await client.uploads.append({ params: { id }, query: { offset: 0 }, body: bytes });
  return id;
}

const copiesOf = ({ config, owner }: TestGateway): string =>
  join(`${config.stateDir}-attachments`, owner.accountId);

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof RefusedError && error.refusal.code === code;

async function beginThread(client: Client) {
  const { thread } = await client.threads.create({ body: { agent: 'echo' } });
  return (attachments: readonly string[], more: object = {}) =>
    client.threads.prompt({
      params: { id: thread.id },
      body: { text: 'look', attachments: [...attachments], ...more },
    });
}

test('a prompt that is refused leaves no copy, and takes none from one that was taken', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig);
  const [first, second] = [await bring(client), await bring(client)];
  const say = await beginThread(client);
  await say([first], { client_message_id: 'one' });
  const again = say([first, second], { client_message_id: 'one' });
  await assert.rejects(again, refusedWith('key_reused'));
  assert.deepEqual(await readdir(copiesOf(rig)), [first]);
  assert.deepEqual(await readdir(join(copiesOf(rig), first)), ['screen.png']);
});

test('the oldest copies of an account go when they are too many bytes', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig);
  for (const [name, daysAgo] of [
    ['oldest', 3],
    ['older', 2],
    ['old', 1],
  ] as const) {
    const home = join(copiesOf(rig), name);
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(join(home, 'film'), '');
    // Long, and without a byte on the disk.
    await truncate(join(home, 'film'), 400 * mebibyte);
    const at = new Date(Date.now() - daysAgo * 24 * 60 * 60_000);
    await utimes(home, at, at);
  }
  const id = await bring(client);
  const say = await beginThread(client);
  await say([id]);
  const left = [id, 'old', 'older'].toSorted();
  await untilTrue(async () => isDeepStrictEqual((await readdir(copiesOf(rig))).toSorted(), left));
});

test('the oldest copies of an account go when they are too many', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig);
  for (let count = 0; count < 1_000; count += 1) {
    const home = join(copiesOf(rig), `c${count}`);
    await mkdir(home, { recursive: true, mode: 0o700 });
    const at = new Date(Date.now() - 1_000_000 + count * 10);
    await utimes(home, at, at);
  }
  const id = await bring(client);
  await (await beginThread(client))([id]);
  await untilTrue(async () => (await readdir(copiesOf(rig))).length === 1_000);
  const left = await readdir(copiesOf(rig));
  assert.deepEqual(
    [left.includes('c0'), left.includes('c1'), left.includes(id)],
    [false, true, true],
  );
});

test('files that are announced at once do not take the same room', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig);
  const all = await Promise.allSettled(
    Array.from({ length: 12 }, () =>
      client.uploads.create({ body: { name: 'large', size: 64 * mebibyte } }),
    ),
  );
  const taken = all.filter(({ status }) => status === 'fulfilled');
  assert.equal(taken.length, 8, '512 MiB');
});

test('an empty piece is refused', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig);
  const id = await bring(client);
  const call = { params: { id }, query: { offset: bytes.length }, body: new Uint8Array() };
  await assert.rejects(client.uploads.append(call), refusedWith('validation_error'));
});

test('a gateway that starts removes what is too old, of accounts that never come back', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig);
  const id = await bring(client);
  await (await beginThread(client))([id]);
  const place = join(rig.config.stateDir, 'uploads', rig.owner.accountId);
  assert.equal((await readdir(place)).length, 2);
  await rig.gateway.close();
  const system = createSystemClock();
  const openLater = (days: number) => {
    const clock = { ...system, wallMs: () => system.wallMs() + days * 24 * 60 * 60_000 };
    return openGateway(rig.config, { ...systemDeps(), clock });
  };
  {
    await using _later = await openLater(2);
    await untilTrue(async () => (await readdir(place)).length === 0);
    assert.deepEqual(await readdir(copiesOf(rig)), [id], 'the copy has 30 days');
  }
  await using _muchLater = await openLater(31);
  await untilTrue(async () => (await readdir(copiesOf(rig))).length === 0);
});

test('a name in any script fits into a file system, and its end stays', async () => {
  for (const name of [`${'\u{20000}'.repeat(120)}.png`, `${'漢'.repeat(120)}.png`]) {
    const safe = safeName(name);
    assert.ok(Buffer.byteLength(safe) <= 200, `${Buffer.byteLength(safe)}`);
    assert.ok(safe.isWellFormed() && safe.endsWith('.png'));
  }
  assert.equal(safeName(`x.${'y'.repeat(99)}`), 'y'.repeat(99), 'a cut name is not hidden');
  await using rig = await openTestGateway();
  const client = clientOf(rig);
  const id = await bring(client, `${'\u{20000}'.repeat(60)}.png`);
  await (await beginThread(client))([id]);
  const [name = ''] = await readdir(join(copiesOf(rig), id));
  assert.ok(name.endsWith('.png'));
});
