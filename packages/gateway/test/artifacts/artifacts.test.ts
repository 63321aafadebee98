/*
 * What turns leave, at a gateway: kept at the end of a turn, listed, downloaded by an address that is signed.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { untilSynced } from './until-synced.ts';

interface Item {
  readonly id: string;
  readonly relative_path: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly content_type: string;
  readonly news: string;
  readonly download_url: string;
}

async function beginTalk(rig: TestGateway) {
  const directory = join(rig.directory, 'project');
  await mkdir(directory, { recursive: true });
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin({ directory });
  const itemsOf = async (turn: string) => {
    await talk.until(isEndOf(turn));
    const { items, artifact_sync } = await untilSynced(me, turn);
    return { items: items as Item[], sync: artifact_sync };
  };
  return { me, talk, directory, itemsOf };
}

test('what an agent has written is kept, listed and downloaded; the next turn says what is new', async () => {
  await using rig = await openTestGateway();
  const { me, talk, directory, itemsOf } = await beginTalk(rig);
  await mkdir(join(directory, 'dist'));
  await writeFile(join(directory, 'dist/old.js'), 'old', { flush: true });
  await utimes(join(directory, 'dist/old.js'), 1, 1);
  const first = await talk.say('file: reports/a.txt one two\nfile: elsewhere/b.txt three');
  const { items, sync } = await itemsOf(first);
  assert.deepEqual(sync, { status: 'synced', count: 2, missing: [], missing_count: 0 });
  assert.deepEqual(
    items.map(({ relative_path, news, content_type }) => [relative_path, news, content_type]),
    [
      ['dist/old.js', 'unchanged', 'text/plain; charset=utf-8'],
      ['reports/a.txt', 'new', 'text/plain; charset=utf-8'],
    ],
  );
  const told = await talk.until(({ type }) => type === 'artifact');
  assert.equal(told.turn_id, first);
  assert.equal(told.payload['status'], 'synced');
  const report = items[1]!;
  assert.equal(report.sha256, createHash('sha256').update('one two').digest('hex'));
  const response = await fetch(new URL(report.download_url, rig.url));
  assert.equal(response.status, 200);
  assert.equal(await response.text(), 'one two');
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename=a.txt');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.match(response.headers.get('content-security-policy') ?? '', /^sandbox;/);
  assert.equal(response.headers.get('etag'), `"${report.sha256}"`);
  const second = await talk.say('file: reports/a.txt other\nfile: reports/c.txt new', {
    expected_artifact_dirs: ['reports/'],
  });
  const after = await itemsOf(second);
  assert.deepEqual(
    after.items.map(({ relative_path, news }) => [relative_path, news]),
    [
      ['reports/a.txt', 'changed'],
      ['reports/c.txt', 'new'],
    ],
  );
  const { body } = await me.get(`threads/${talk.id()}`);
  assert.deepEqual(
    body['turns'].map(
      ({ artifact_sync }: { artifact_sync: { count: number } }) => artifact_sync.count,
    ),
    [2, 2],
  );
});

test('nothing there is no artifacts, and a failed turn stays failed whatever is there', async () => {
  await using rig = await openTestGateway();
  const { me, talk, itemsOf } = await beginTalk(rig);
  const empty = await itemsOf(await talk.say('hello'));
  assert.deepEqual(empty.sync, { status: 'no-artifacts', count: 0, missing: [], missing_count: 0 });
  const failing = await talk.say('file: artifacts/x.txt x\nfail: no');
  const { sync } = await itemsOf(failing);
  assert.equal(sync.status, 'synced');
  assert.equal((await me.get(`turns/${failing}`)).body['turn'].status, 'failed');
  assert.ok(!talk.events.some(({ type, turn_id }) => type === 'artifact' && turn_id !== failing));
});

test('links are named and never followed; the rest is kept', async () => {
  await using rig = await openTestGateway();
  const { talk, directory, itemsOf } = await beginTalk(rig);
  const secret = join(rig.directory, 'secret');
  await mkdir(secret);
  await writeFile(join(secret, 'key'), 'secret');
  await mkdir(join(directory, 'reports'));
  await symlink(join(secret, 'key'), join(directory, 'reports/key'));
  await symlink(secret, join(directory, 'reports/all'));
  await symlink(secret, join(directory, 'dist'));
  const { items, sync } = await itemsOf(await talk.say('file: reports/good.txt good'));
  assert.deepEqual(
    items.map(({ relative_path }) => relative_path),
    ['reports/good.txt'],
  );
  assert.equal(sync.status, 'partial');
  assert.deepEqual(sync.missing, [
    { path: 'reports/all', reason: 'symlink' },
    { path: 'reports/key', reason: 'symlink' },
    { path: 'dist', reason: 'symlink' },
  ]);
});

test('directories that lead out are refused before anything is asked of an agent', async () => {
  await using rig = await openTestGateway();
  const { me, talk } = await beginTalk(rig);
  const wrong = ['..', '/etc', 'a/../..', 'a//b', '', './a', 'a\u0000b', 'x'.repeat(300)];
  for (const dir of wrong) {
    const body = { text: 'hi', expected_artifact_dirs: [dir] };
    const { status, body: answer } = await me.post(`threads/${talk.id()}/turns`, body);
    assert.equal(status, 400, JSON.stringify(dir));
    assert.equal(answer['error'].code, 'validation_error');
  }
  const many = Array.from({ length: 17 }, (_, index) => `d${index}`);
  const answer = await me.post(`threads/${talk.id()}/turns`, {
    text: 'hi',
    expected_artifact_dirs: many,
  });
  assert.equal(answer.status, 400);
});

test('the same content is stored once, readable by us alone', async () => {
  await using rig = await openTestGateway();
  const { talk, itemsOf } = await beginTalk(rig);
  await itemsOf(await talk.say('file: reports/a.txt same\nfile: dist/b.txt same'));
  const directory = join(rig.config.stateDir, 'artifacts/files', rig.owner.accountId);
  assert.deepEqual(await readdir(directory), [createHash('sha256').update('same').digest('hex')]);
  assert.deepEqual(await readdir(join(rig.config.stateDir, 'artifacts/incoming')), []);
});
