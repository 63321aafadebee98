/*
 * Files for prompts where something is broken beside them: a copy that cannot be removed, facts that nobody can read, a database that does not
 * answer, a link that names no file. No prompt is refused for it, and no other account has to do with it.
 */
import assert from 'node:assert/strict';
import { mkdir, open, readdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createClient } from '@clawdfather/sdk';
import { parseAccountId, type Store } from '@clawdfather/store';
import { createFakeClock, openSmallDisk, smallDiskSkip } from '@clawdfather/testkit';
import type { Runs } from '../../src/runs/open-runs.ts';
import { createHandOver } from '../../src/uploads/hand-over.ts';
import { createInTurn } from '../../src/uploads/in-turn.ts';
import { createAttachments } from '../../src/uploads/open-attachments.ts';
import { removeOldest } from '../../src/uploads/remove-oldest.ts';
import { createUploads, type Uploads } from '../../src/uploads/upload-files.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';
import { makeTemporary } from '../fixtures/temporary.ts';
import { untilTrue } from '../hosts/host-world.ts';

const system = {
  clock: createSystemClock(),
  random: createSystemRandom(),
  log: silentLog,
  // Accounts of different tests are in different directories, and wait for nothing of each other.
  inTurn: createInTurn(),
};
const one = parseAccountId('0123456789abcdef');
const other = parseAccountId('z123456789abcdef');
const long = new Date(Date.now() - 90 * 24 * 60 * 60_000);
const byte = new Uint8Array(1);

/* No account has a Unix user of its own. */
const runs: Pick<Runs, 'users'> = { users: { of: () => undefined } };

async function makeOld(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await utimes(path, long, long);
}

async function bring(uploads: Uploads): Promise<string> {
  const { id } = await uploads.create(one, { name: 'a', size: 1, contentType: 'text/plain' });
  await uploads.append(one, { id, offset: 0, bytes: byte });
  return id;
}

/* What prompts link to is asked of the database, which fails for these accounts. */
function storeWithout(lost: readonly string[]): Pick<Store, 'forAccount'> {
  return storeWith(async (accountId) => {
    if (lost.includes(accountId)) throw new Error('the connection is gone');
    return [];
  });
}

function storeWith(openPrompts: (accountId: string) => Promise<[]>): Pick<Store, 'forAccount'> {
  return {
    forAccount: (accountId: string) => ({ threads: { openPrompts: () => openPrompts(accountId) } }),
  } as never;
}

/* As the tidying does, of a place that is held open. */
async function removeIn(path: string, more: { readonly nowMs?: number } = {}) {
  await using directory = await open(path);
  return await removeOldest({ place: { path, directory }, ...removingNow, ...more });
}

const removingNow = {
  nowMs: Date.now(),
  askNeeded: async () => new Set<string>(),
  signal: new AbortController().signal,
};

test('a prompt that was taken is answered, also where the old copies cannot be looked at', async () => {
  await using temporary = await makeTemporary();
  const stateDir = join(temporary.path, 'state');
  const lines: Line[] = [];
  const uploads = createUploads({ ...system, stateDir });
  const { handOver } = createHandOver({
    ...system,
    log: recordingLog(lines),
    stateDir,
    uploads,
    runs,
    store: storeWithout([one]),
  });
  await makeOld(join(`${stateDir}-attachments`, one, 'old'));
  const given = { accountId: one, ids: [await bring(uploads)], thread: {} };
  assert.equal(await handOver(given, async (links) => links.length), 1);
  await untilTrue(() => lines.some(([, name]) => name === 'attachments.copies-stay'));
  // The next prompt of the account waits for nothing either.
  assert.equal(await handOver(given, async () => 'taken'), 'taken');
});

test('a link in a waiting prompt that names no file keeps no other prompt from being answered', async () => {
  await using rig = await openTestGateway();
  const client = createClient({ baseUrl: rig.url, token: rig.owner.token });
  const { thread } = await client.threads.create({ body: { agent: 'echo' } });
  const params = { id: thread.id };
  await client.threads.prompt({ params, body: { text: 'ask: may I?' } });
  const blocks = [{ type: 'resource_link', name: 'x', uri: 'file:///a%2Fb' }];
  await client.threads.prompt({ params, body: { blocks } });
  const copies = join(`${rig.config.stateDir}-attachments`, rig.owner.accountId);
  await makeOld(join(copies, 'old'));
  const { upload } = await client.uploads.create({ body: { name: 'a.txt', size: 1 } });
  await client.uploads.append({ params: upload, query: { offset: 0 }, body: byte });
  const body = { text: 'look', attachments: [upload.id] };
  await client.threads.prompt({ params, body });
  await untilTrue(async () => !(await readdir(copies)).includes('old'));
});

test('what cannot be removed keeps neither other copies nor other accounts from the sweep', {
  skip: smallDiskSkip,
}, async () => {
  await using temporary = await makeTemporary();
  const stateDir = join(temporary.path, 'state');
  const root = `${stateDir}-attachments`;
  const accounts = [one, parseAccountId('a123456789abcdef'), other];
  for (const account of accounts) await makeOld(join(root, account, 'old'));
  // A disk is mounted there, so it cannot go.
  using _disk = openSmallDisk('size=64k', join(root, one, 'busy'));
  await utimes(join(root, one, 'busy'), long, long);
  const lines: Line[] = [];
  const { sweep } = createHandOver({
    ...system,
    log: recordingLog(lines),
    stateDir,
    uploads: createUploads({ ...system, stateDir }),
    runs,
    store: storeWithout(['a123456789abcdef']),
  });
  await sweep();
  const left = await Promise.all(accounts.map((account) => readdir(join(root, account))));
  assert.deepEqual(left, [['busy'], ['old'], []]);
  assert.deepEqual(
    lines
      .map(
        ([level, name, { accountId, reason }]) =>
          `${level} ${name} ${String(accountId)} ${String(reason)}`,
      )
      .toSorted(),
    [
      `warn attachments.copies-stay ${one} EBUSY`,
      'warn attachments.copies-stay a123456789abcdef undefined',
    ],
  );
});

test('a link of an agent is not followed: what it leads to is no copy, and is not read', async () => {
  await using temporary = await makeTemporary();
  const place = join(temporary.path, 'place');
  const elsewhere = join(temporary.path, 'elsewhere');
  for (const path of [join(place, 'copy'), elsewhere]) await mkdir(path, { recursive: true });
  // Long, and without a byte on the disk.
  await writeFile(join(elsewhere, 'film'), '');
  await truncate(join(elsewhere, 'film'), 2 * 1024 ** 3);
  const before = new Date(Date.now() - 60_000);
  await utimes(join(place, 'copy'), before, before);
  await symlink(elsewhere, join(place, 'link'));
  assert.deepEqual(await removeIn(place), []);
  assert.deepEqual((await readdir(place)).toSorted(), ['copy', 'link']);
});

test('of a crowd of entries so many are looked at each time, until they are gone', async () => {
  await using temporary = await makeTemporary();
  const place = join(temporary.path, 'place');
  await mkdir(place);
  for (let count = 0; count < 2_500; count += 1) {
    await writeFile(join(place, `x${count}`), '');
  }
  const nowMs = Date.now() + 90 * 24 * 60 * 60_000;
  const left: number[] = [];
  for (let times = 0; times < 2; times += 1) {
    await removeIn(place, { nowMs });
    left.push((await readdir(place)).length);
  }
  assert.deepEqual(left, [500, 0]);
});

test('where one account hangs, its prompts and the sweep go on after a limit, and it is not asked again', async () => {
  await using temporary = await makeTemporary();
  const stateDir = join(temporary.path, 'state');
  const root = `${stateDir}-attachments`;
  for (const account of [one, other]) await makeOld(join(root, account, 'old'));
  const clock = createFakeClock(Date.now());
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let timesAsked = 0;
  const hanging = async () => {
    timesAsked += 1;
    resolve();
    return await new Promise<never>(() => {});
  };
  const uploads = createUploads({ ...system, stateDir });
  const { handOver, sweep } = createHandOver({
    ...system,
    clock,
    stateDir,
    uploads,
    runs,
    store: storeWith((accountId) => (accountId === one ? hanging() : Promise.resolve([]))),
  });
  const given = { accountId: one, ids: [await bring(uploads)], thread: {} };
  const swept = sweep();
  await asked;
  const taken = handOver(given, async () => 'taken');
  await clock.advance(5_000);
  assert.equal(await taken, 'taken');
  await swept;
  await sweep();
  assert.deepEqual(await readdir(join(root, other)), []);
  assert.equal(timesAsked, 1);
});

test('facts that nobody can read keep no file from being announced, and no account from the sweep', async () => {
  await using temporary = await makeTemporary();
  const stateDir = join(temporary.path, 'state');
  const uploads = createUploads({ ...system, stateDir });
  const place = join(stateDir, 'uploads', one);
  const id = await bring(uploads);
  for (const [name, text] of [
    ['half', '{"name": "a'],
    ['strange', '[]'],
  ] as const) {
    await writeFile(join(place, `${name}.json`), text);
  }
  await mkdir(join(place, 'directory.json'));
  // A link to itself: reading it is an error of the disk.
  await symlink('loop.json', join(place, 'loop.json'));
  const next = await bring(uploads);
  assert.notEqual(next, id);
  for (const name of ['half', 'strange', 'directory']) {
    await utimes(join(place, `${name}.json`), long, long);
  }
  const theirs = join(stateDir, 'uploads', other);
  await makeOld(theirs);
  await writeFile(join(theirs, id), '');
  await utimes(join(theirs, id), long, long);
  await uploads.sweep();
  const left = (await readdir(place)).filter(
    (name) => !name.startsWith(id) && !name.startsWith(next),
  );
  assert.deepEqual(left, ['loop.json']);
  assert.deepEqual(await readdir(theirs), []);
});

test('files leave room on the disk for what is more urgent: announced, added to and copied', {
  skip: smallDiskSkip,
}, async () => {
  using disk = openSmallDisk('size=8m');
  const stateDir = join(disk.path, 'state');
  await mkdir(stateDir, { mode: 0o700 });
  const mebibyte = 1024 * 1024;
  const deps = { ...system, stateDir, runs, store: storeWithout([]), roomBytes: 4 * mebibyte };
  const { uploads, handOver } = createAttachments(deps);
  const announce = (size: number) =>
    uploads.create(one, { name: 'film.mp4', size, contentType: 'video/mp4' });
  const full = { code: 'storage_full' };
  await assert.rejects(announce(5 * mebibyte), full);
  // Each of them would find room alone.
  const [first, second] = [await announce(3 * mebibyte), await announce(3 * mebibyte)];
  const bytes = new Uint8Array(3 * mebibyte);
  await uploads.append(one, { id: first.id, offset: 0, bytes });
  await assert.rejects(uploads.append(one, { id: second.id, offset: 0, bytes }), full);
  assert.equal((await uploads.find(one, second.id)).offset, 0);
  const given = { accountId: one, ids: [first.id], thread: {} };
  await assert.rejects(
    handOver(given, async () => 'taken'),
    full,
  );
  assert.deepEqual(await readdir(join(`${stateDir}-attachments`, one)), []);
  // With less to leave it is taken.
  const nextTime = createAttachments({ ...deps, roomBytes: mebibyte });
  assert.equal(await nextTime.handOver(given, async () => 'taken'), 'taken');
});
