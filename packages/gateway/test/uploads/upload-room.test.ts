/*
 * The room of an account for files that are on their way to a prompt: what prompts have taken never stands in the way, and tokens leave a
 * person a quarter.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { parseAccountId } from '@clawdfather/store';
import { createAttachments } from '../../src/uploads/open-attachments.ts';
import { goneFor, type KeptUpload } from '../../src/uploads/upload-room.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

const mebibyte = 1024 * 1024;
const full = { code: 'upload_limit_reached' };

function many(count: number, more: Partial<KeptUpload> = {}): readonly KeptUpload[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${more.isOfToken === true ? 't' : 'p'}${index}`,
    size: 1,
    isOfToken: false,
    takenAtMs: undefined,
    ...more,
  }));
}

test('as many go as are needed, the ones that were taken first, and none that no prompt has', () => {
  const size = 64 * mebibyte;
  const person = { size, isOfToken: false };
  const kept = many(8, { size }).map((upload, index) => ({
    ...upload,
    takenAtMs: [undefined, 30, 10, 20, undefined, 40, 50, 60][index],
  }));
  assert.deepEqual(goneFor(person, kept.slice(0, 7)), [], 'there is room');
  assert.deepEqual(goneFor(person, kept), ['p2']);
  assert.deepEqual(goneFor(person, [...kept, ...many(1, { id: 'x' })]), ['p2', 'p3']);
  assert.deepEqual(goneFor({ ...person, size: 1 }, many(100, { takenAtMs: 1 })), ['p0']);
  assert.throws(() => goneFor(person, many(8, { size })), full);
  assert.throws(() => goneFor(person, [...many(99), ...many(1, { size: 460 * mebibyte })]), full);
});

test('tokens get three quarters, of files and of bytes, and make room among their own', () => {
  const token = { size: 1, isOfToken: true };
  const person = { size: 1, isOfToken: false };
  assert.throws(() => goneFor(token, many(75, { isOfToken: true })), full);
  assert.deepEqual(goneFor(person, many(75, { isOfToken: true })), []);
  assert.deepEqual(goneFor(token, [...many(30), ...many(69, { isOfToken: true })]), []);
  const large = many(6, { isOfToken: true, size: 64 * mebibyte });
  assert.throws(() => goneFor(token, large), full);
  assert.deepEqual(goneFor({ ...person, size: 64 * mebibyte }, large), []);
  const spent = [...many(10, { takenAtMs: 1 }), ...many(75, { isOfToken: true, takenAtMs: 2 })];
  assert.deepEqual(goneFor(token, spent), ['t0']);
  assert.throws(() => goneFor(token, [...many(10, { takenAtMs: 1 }), ...many(75, token)]), full);
});

test('files that prompts have taken make room for the next ones within a day, and their copies stay', async () => {
  await using temporary = await makeTemporary();
  const stateDir = join(temporary.path, 'state');
  const accountId = parseAccountId('0123456789abcdef');
  const system = createSystemClock();
  let looks = 0;
  // No two prompts in the same millisecond.
  const clock = { ...system, wallMs: () => system.wallMs() + looks++ };
  const { uploads, handOver } = createAttachments({
    stateDir,
    clock,
    random: createSystemRandom(),
    log: silentLog,
    runs: { users: { of: () => undefined } },
    store: { forAccount: () => ({ threads: { openPrompts: async () => [] } }) } as never,
  });
  const bring = async (): Promise<string> => {
    const { id } = await uploads.create(accountId, {
      name: 'screen.png',
      size: 1,
      contentType: 'image/png',
    });
    await uploads.append(accountId, { id, offset: 0, bytes: new Uint8Array(1) });
    return id;
  };
  const waiting = await bring();
  const ids: string[] = [];
  for (let count = 1; count < 100; count += 1) ids.push(await bring());
  await assert.rejects(bring(), full);
  const first = ids[7] ?? '';
  const refused = new Error('not taken');
  const say = (id: string, take = async () => 'taken') =>
    handOver({ accountId, ids: [id], thread: {} }, take);
  await assert.rejects(
    say(first, () => Promise.reject(refused)),
    refused,
  );
  await assert.rejects(bring(), full, 'no prompt has it');
  await say(first);
  await say(ids[3] ?? '');
  const next = await bring();
  await assert.rejects(uploads.find(accountId, first), { code: 'not_found' });
  for (const id of [waiting, ids[3] ?? '', next])
    assert.ok((await uploads.find(accountId, id)).isWhole);
  assert.ok(existsSync(join(`${stateDir}-attachments`, accountId, first, 'screen.png')));
});

test('a program with a token fills its share, and the person of the account finds room', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const token = { label: 'program', scopes: ['read', 'run'] };
  const made = await ask('POST', 'auth/tokens', { body: token });
  const body = { name: 'large', size: 64 * mebibyte };
  const announce = (token = rig.owner.token) => ask('POST', 'uploads', { token, body });
  for (let count = 0; count < 6; count += 1) {
    assert.equal((await announce(made.body.token)).status, 201);
  }
  const refused = await announce(made.body.token);
  assert.equal(refused.body.error.code, 'upload_limit_reached');
  const [files_max, bytes_max] = [75, 384 * mebibyte];
  assert.deepEqual(refused.body.error.detail, { files: 6, bytes: bytes_max, files_max, bytes_max });
  for (let count = 0; count < 2; count += 1) assert.equal((await announce()).status, 201);
  assert.equal((await announce()).body.error.detail.files_max, 100);
});
