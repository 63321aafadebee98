/*
 * Files for prompts: brought in pieces, gone on with after a cut, a crash and a full disk, and given to an agent.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createSystemClock } from '@clawdfather/kit';
import { type Client, createClient, RefusedError } from '@clawdfather/sdk';
import { safeName } from '../../src/uploads/copies.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

const text = 'a picture of a screen\n'.repeat(1_000);
const bytes = new TextEncoder().encode(text);
const sha256 = createHash('sha256').update(bytes).digest('hex');

function clientOf({ url }: TestGateway, token: string): Client {
  return createClient({ baseUrl: url, token });
}

async function announce(client: Client, more: object = {}): Promise<string> {
  const { upload } = await client.uploads.create({
    body: { name: 'screen.png', size: bytes.length, content_type: 'image/png', ...more },
  });
  assert.deepEqual([upload.offset, upload.is_complete], [0, false]);
  return upload.id;
}

async function add(client: Client, id: string, [from, to]: readonly [number, number]) {
  const body = bytes.slice(from, to);
  return (await client.uploads.append({ params: { id }, query: { offset: from }, body })).upload;
}

const refusedWith = (code: string, detail?: object) => (error: unknown) => {
  assert.ok(error instanceof RefusedError, String(error));
  assert.equal(error.refusal.code, code);
  if (detail !== undefined) assert.deepEqual(error.detail, { ...error.detail, ...detail });
  return true;
};

const bytesPath = (rig: TestGateway, id: string): string =>
  join(rig.config.stateDir, 'uploads', rig.owner.accountId, id);

test('a file comes in pieces, each is there when it is answered, and only this user can read it', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig, rig.owner.token);
  const id = await announce(client, { name: '../../etc/passwd', sha256 });
  assert.equal((await add(client, id, [0, 10_000])).offset, 10_000);
  assert.equal((await stat(bytesPath(rig, id))).size, 10_000);
  const { upload } = await client.uploads.get({ params: { id } });
  assert.deepEqual([upload.offset, upload.is_complete], [10_000, false]);
  const whole = await add(client, id, [10_000, bytes.length]);
  assert.deepEqual([whole.offset, whole.is_complete], [bytes.length, true]);
  assert.equal(await readFile(bytesPath(rig, id), 'utf8'), text);
  assert.equal((await stat(bytesPath(rig, id))).mode & 0o777, 0o600);
  const place = join(rig.config.stateDir, 'uploads', rig.owner.accountId);
  assert.deepEqual((await readdir(place)).toSorted(), [id, `${id}.json`], 'named by its id alone');
  await client.uploads.remove({ params: { id } });
  assert.deepEqual(await readdir(place), []);
});

test('a piece at another offset is refused, and told where to go on; so is more than was announced', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig, rig.owner.token);
  const id = await announce(client);
  await add(client, id, [0, 100]);
  await assert.rejects(add(client, id, [0, 100]), refusedWith('gap', { offset: 100 }));
  await assert.rejects(add(client, id, [200, 300]), refusedWith('gap', { offset: 100 }));
  const body = new Uint8Array(bytes.length);
  const call = { params: { id }, query: { offset: 100 }, body };
  await assert.rejects(client.uploads.append(call), refusedWith('validation_error'));
  assert.equal((await client.uploads.get({ params: { id } })).upload.offset, 100);
});

test('of two who send the same piece at once, one is taken', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig, rig.owner.token);
  const id = await announce(client);
  const both = await Promise.allSettled([add(client, id, [0, 500]), add(client, id, [0, 500])]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal((await stat(bytesPath(rig, id))).size, 500);
});

test('after a crash in the middle of a piece it goes on from what is there', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig, rig.owner.token);
  const id = await announce(client, { sha256 });
  await add(client, id, [0, 100]);
  // As a gateway leaves it that was killed while it wrote the next piece.
  await writeFile(bytesPath(rig, id), bytes.slice(100, 130), { flag: 'a' });
  const { upload } = await client.uploads.get({ params: { id } });
  assert.equal(upload.offset, 130);
  assert.ok((await add(client, id, [130, bytes.length])).is_complete);
});

test('what is not what was announced begins anew', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig, rig.owner.token);
  const id = await announce(client, { sha256: '0'.repeat(64) });
  await assert.rejects(add(client, id, [0, bytes.length]), refusedWith('changed'));
  assert.equal((await client.uploads.get({ params: { id } })).upload.offset, 0);
});

/* As a gateway leaves it that was killed while it checked a file, or before it had written that it had. */
for (const [what, arrived, isComplete] of [
  ['what was announced', bytes, true],
  ['something else', new Uint8Array(bytes.length), false],
] as const) {
  test(`after a crash before it was checked it is checked again: ${what}`, async () => {
    await using rig = await openTestGateway();
    const client = clientOf(rig, rig.owner.token);
    const id = await announce(client, { sha256 });
    await writeFile(bytesPath(rig, id), arrived);
    await writeFile(`${bytesPath(rig, id)}.json.new`, '{"half');
    const { thread } = await client.threads.create({ body: { agent: 'echo' } });
    const prompt = client.threads.prompt({
      params: { id: thread.id },
      body: { text: 'look at this', attachments: [id] },
    });
    if (isComplete) await prompt;
    else await assert.rejects(prompt, refusedWith('validation_error', { offset: 0 }));
    const { upload } = await client.uploads.get({ params: { id } });
    const { offset } = upload;
    assert.deepEqual([upload.is_complete, offset], [isComplete, isComplete ? bytes.length : 0]);
    if (!isComplete) assert.ok((await add(client, id, [0, bytes.length])).is_complete);
  });
}

test('a piece has its own bound, and bytes are taken nowhere else', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig, rig.owner.token);
  const size = 8 * 1024 * 1024;
  const { upload } = await client.uploads.create({ body: { name: 'big', size } });
  const at = { params: { id: upload.id }, query: { offset: 0 } };
  await assert.rejects(
    client.uploads.append({ ...at, body: new Uint8Array(4 * 1024 * 1024 + 1) }),
    refusedWith('payload_too_large'),
  );
  const taken = await client.uploads.append({ ...at, body: new Uint8Array(4 * 1024 * 1024) });
  assert.equal(taken.upload.offset, 4 * 1024 * 1024);
  const json = await rig.request(`/api/v1/uploads/${upload.id}?offset=0`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(json.status, 415);
  const elsewhere = await rig.request('/api/v1/settings', {
    method: 'PATCH',
    headers: { 'content-type': 'application/octet-stream' },
    body: '{}',
  });
  assert.equal(elsewhere.status, 415);
  await assert.rejects(
    client.uploads.create({ body: { name: 'bigger', size: 64 * 1024 * 1024 + 1 } }),
    refusedWith('validation_error'),
  );
});

test('an account has room for so much, and a day for each', async () => {
  const system = createSystemClock();
  let aheadMs = 0;
  const clock = { ...system, wallMs: () => system.wallMs() + aheadMs };
  await using rig = await openTestGateway({ deps: { clock } });
  const client = clientOf(rig, rig.owner.token);
  const size = 64 * 1024 * 1024;
  for (let count = 0; count < 8; count += 1) {
    await client.uploads.create({ body: { name: 'large', size } });
  }
  await assert.rejects(
    client.uploads.create({ body: { name: 'more', size: 1 } }),
    refusedWith('upload_limit_reached'),
  );
  const other = clientOf(rig, rig.other.token);
  await other.uploads.create({ body: { name: 'theirs', size: 1 } });
  aheadMs = 24 * 60 * 60_000;
  const id = await announce(client);
  const place = join(rig.config.stateDir, 'uploads', rig.owner.accountId);
  assert.deepEqual((await readdir(place)).toSorted(), [id, `${id}.json`], 'the old ones are gone');
});

test('a prompt takes what is whole: the agent gets a link to a file with the bytes', async () => {
  await using rig = await openTestGateway();
  const client = clientOf(rig, rig.owner.token);
  const ask = createAsk(rig);
  const { thread } = await client.threads.create({ body: { agent: 'echo' } });
  const id = await announce(client, { name: 'Bild 1 (neu).png' });
  const params = { id: thread.id };
  const prompt = () =>
    client.threads.prompt({
      params,
      body: { text: 'look at this', attachments: [id], client_message_id: 'one' },
    });
  await assert.rejects(prompt(), refusedWith('validation_error'), 'it is not whole');
  await add(client, id, [0, bytes.length]);
  const { turn } = await prompt();
  assert.equal((await prompt()).turn.id, turn.id, 'sent again it is the same one');
  const { body } = await ask('GET', `threads/${thread.id}/events?wait_ms=20000`);
  const said = body.items.find(({ type }: { type: string }) => type === 'message');
  const [words, link] = said.payload.blocks;
  assert.deepEqual(words, { type: 'text', text: 'look at this' });
  const { uri, ...facts } = link;
  assert.deepEqual(facts, {
    type: 'resource_link',
    name: 'Bild_1_neu_.png',
    mimeType: 'image/png',
    size: bytes.length,
  });
  const path = fileURLToPath(uri);
  assert.ok(
    !path.startsWith(`${rig.config.stateDir}/`),
    'that is empty for an agent in its shield',
  );
  assert.equal(await readFile(path, 'utf8'), text);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  // What the agent does to its copy is no change of ours.
  await truncate(path, 1);
  assert.equal((await stat(bytesPath(rig, id))).size, bytes.length);
  for (const [token, attachments] of [
    [rig.owner.token, ['0123456789abcdef']],
    [rig.other.token, [id]],
  ] as const) {
    const answer = await ask('POST', `threads/${thread.id}/turns`, {
      token,
      body: { text: 'x', attachments },
    });
    assert.equal(answer.status, 404);
  }
});

test('names of files are what no shell and no eye stumbles over', () => {
  for (const [name, safe] of [
    ['screen.png', 'screen.png'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['.bashrc', 'bashrc'],
    ['a\u202egnp.exe', 'a_gnp.exe'],
    ['-rf $(x)', '-rf_x_'],
    ['///', 'file'],
    ['...', 'file'],
    ['Übersicht 2.pdf', 'Übersicht_2.pdf'],
    [`${'x'.repeat(300)}.png`, `${'x'.repeat(96)}.png`],
  ] as const) {
    assert.equal(safeName(name), safe, name);
  }
});
