/*
 * Files for prompts on bad days: a request that comes twice, a full disk, a gateway that is killed in the middle of a file, a prompt that waits
 * longer than its copies are kept.
 */
import assert from 'node:assert/strict';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createClient, RefusedError } from '@clawdfather/sdk';
import { parseAccountId } from '@clawdfather/store';
import { openSmallDisk, smallDiskSkip } from '@clawdfather/testkit';
import { createInTurn } from '../../src/uploads/in-turn.ts';
import { createUploads } from '../../src/uploads/upload-files.ts';
import { toApiError } from '../../src/http/api-error.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { untilTrue } from '../hosts/host-world.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';

const mebibyte = 1024 * 1024;
const facts = { name: 'film.mp4', size: 3 * mebibyte, content_type: 'video/mp4' };
const bytes = new Uint8Array(facts.size).map((_, index) => index % 251);

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof RefusedError && error.refusal.code === code;

test('announced again with the same key it is the same upload, with what is there of it', async () => {
  await using rig = await openTestGateway();
  const { uploads } = createClient({ baseUrl: rig.url, token: rig.owner.token });
  const announce = (body: typeof facts, idempotencyKey = 'one') =>
    uploads.create({ body }, { idempotencyKey });
  const [one, same] = await Promise.all([announce(facts), announce(facts)]);
  assert.equal(same.upload.id, one.upload.id);
  const { id } = one.upload;
  await uploads.append({ params: { id }, query: { offset: 0 }, body: bytes.slice(0, 1_000) });
  const again = await announce(facts);
  assert.deepEqual([again.upload.id, again.upload.offset], [id, 1_000]);
  await assert.rejects(announce({ ...facts, size: 7 }), refusedWith('key_reused'));
  assert.notEqual((await announce(facts, 'two')).upload.id, id);
  const theirs = createClient({ baseUrl: rig.url, token: rig.other.token });
  const { upload } = await theirs.uploads.create({ body: facts }, { idempotencyKey: 'one' });
  assert.notEqual(upload.id, id, 'a key is of one account');
  // Half of it is there, of a gateway that was killed while it announced it.
  const place = join(rig.config.stateDir, 'uploads', rig.owner.accountId);
  await rm(join(place, `${id}.json`));
  assert.deepEqual((await announce(facts)).upload.offset, 0);
});

test('a full disk is said so, nothing of what was there is lost, and it goes on when there is room', {
  skip: smallDiskSkip,
}, async () => {
  using disk = openSmallDisk('size=2m');
  const uploads = createUploads({
    stateDir: disk.path,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: silentLog,
    // The disk itself is asked.
    roomBytes: -4 * mebibyte,
    inTurn: createInTurn(),
  });
  const accountId = parseAccountId('0123456789abcdef');
  const { id } = await uploads.create(accountId, { ...facts, contentType: 'video/mp4' });
  await uploads.append(accountId, { id, offset: 0, bytes: bytes.slice(0, mebibyte) });
  const ballast = join(disk.path, 'ballast');
  await writeFile(ballast, Buffer.alloc(mebibyte / 2, 1));
  const next = { id, offset: mebibyte, bytes: bytes.slice(mebibyte, 2 * mebibyte) };
  await assert.rejects(uploads.append(accountId, next), (error: unknown) => {
    const { code, status } = toApiError(error);
    assert.deepEqual([code, status], ['storage_full', 507]);
    return true;
  });
  const { offset } = await uploads.find(accountId, id);
  assert.equal(offset, mebibyte, 'all or nothing of a piece');
  assert.ok((await readFile(uploads.pathOf(accountId, id))).equals(bytes.subarray(0, mebibyte)));
  await writeFile(ballast, '');
  await uploads.append(accountId, { ...next, bytes: next.bytes.slice(0, mebibyte / 2) });
  assert.equal((await uploads.find(accountId, id)).offset, 1.5 * mebibyte);
});

test('a gateway that is killed in the middle of a piece: the next one goes on from the offset', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-uploads-'));
  try {
    const first = await startGatewayProcess(directory);
    const before = createClient({ baseUrl: first.url, token: first.token });
    const { upload } = await before.uploads.create({ body: facts }, { idempotencyKey: 'one' });
    const { id } = upload;
    const params = { id };
    await before.uploads.append({ params, query: { offset: 0 }, body: bytes.slice(0, mebibyte) });
    // Half of a piece is on its way.
    const { hostname, port } = new URL(first.url);
    const socket = connect(Number(port), hostname);
    const gone = new Promise((resolve) => socket.on('close', resolve).on('error', resolve));
    const head = [
      `PATCH /api/v1/uploads/${id}?offset=${mebibyte} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      `authorization: Bearer ${first.token}`,
      'content-type: application/octet-stream',
      `content-length: ${mebibyte}`,
    ];
    await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n`, resolve));
    await new Promise((resolve) => socket.write(bytes.slice(mebibyte, 1.5 * mebibyte), resolve));
    await first.end('SIGKILL');
    await gone;
    await using second = await startGatewayProcess(directory);
    const { uploads } = createClient({ baseUrl: second.url, token: second.token });
    let { offset } = (await uploads.get({ params })).upload;
    assert.ok(offset >= mebibyte, 'what was answered is there');
    while (offset < facts.size) {
      const body = bytes.slice(offset, offset + mebibyte);
      ({ offset } = (await uploads.append({ params, query: { offset }, body })).upload);
    }
    assert.ok((await uploads.get({ params })).upload.is_complete);
    const path = join(directory, 'state', 'uploads', second.accountId, id);
    assert.ok((await readFile(path)).equals(bytes));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('a prompt that was taken is found again when its files are gone, and is still no other one', async () => {
  await using rig = await openTestGateway();
  const client = createClient({ baseUrl: rig.url, token: rig.owner.token });
  const bring = async (content_type: string): Promise<string> => {
    const { upload } = await client.uploads.create({ body: { name: 'a', size: 1, content_type } });
    await client.uploads.append({ params: upload, query: { offset: 0 }, body: bytes.slice(0, 1) });
    return upload.id;
  };
  const { thread } = await client.threads.create({ body: { agent: 'echo' } });
  const [text, picture] = [await bring('text/plain'), await bring('image/png')];
  const body = { text: 'look', attachments: [text, picture, text], client_message_id: 'one' };
  const say = (more: object = {}) =>
    client.threads.prompt({ params: { id: thread.id }, body: { ...body, ...more } });
  const { turn } = await say();
  for (const id of [text, picture]) await client.uploads.remove({ params: { id } });
  await rm(`${rig.config.stateDir}-attachments`, { recursive: true });
  assert.equal((await say()).turn.id, turn.id);
  await assert.rejects(say({ text: 'look there' }), refusedWith('key_reused'));
  await assert.rejects(say({ attachments: [] }), refusedWith('key_reused'));
  await assert.rejects(say({ client_message_id: 'two' }), refusedWith('not_found'));
  assert.equal((await client.threads.get({ params: { id: thread.id } })).turns.length, 1);
});

test('HO2: a copy that a prompt waits for stays, however old it is and however many come after it', async () => {
  await using rig = await openTestGateway();
  const client = createClient({ baseUrl: rig.url, token: rig.owner.token });
  const bring = async (): Promise<string> => {
    const { upload } = await client.uploads.create({ body: { name: 'a.txt', size: 1 } });
    const { id } = upload;
    await client.uploads.append({ params: { id }, query: { offset: 0 }, body: bytes.slice(0, 1) });
    return id;
  };
  const { thread } = await client.threads.create({ body: { agent: 'echo' } });
  const params = { id: thread.id };
  // The first one is not answered, so the second waits.
  await client.threads.prompt({ params, body: { text: 'ask: may I?' } });
  const needed = await bring();
  const waiting = { text: 'look', attachments: [needed] };
  const { turn } = await client.threads.prompt({ params, body: waiting });
  const copies = join(`${rig.config.stateDir}-attachments`, rig.owner.accountId);
  const old = new Date(Date.now() - 90 * 24 * 60 * 60_000);
  await utimes(join(copies, needed), old, old);
  await mkdir(join(copies, 'large'), { mode: 0o700 });
  await writeFile(join(copies, 'large', 'film'), '');
  await truncate(join(copies, 'large', 'film'), 1024 * mebibyte);
  const next = await bring();
  await client.threads.prompt({ params, body: { text: 'look', attachments: [next] } });
  const areThere = async (ids: readonly string[]) =>
    isDeepStrictEqual((await readdir(copies)).toSorted(), ids.toSorted());
  await untilTrue(() => areThere([needed, next]));
  await client.turns.cancel({ params: { id: turn.id } });
  const last = await bring();
  await client.threads.prompt({ params, body: { text: 'look', attachments: [last] } });
  // The first one is needed no more.
  await untilTrue(() => areThere([next, last]));
});
