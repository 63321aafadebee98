/*
 * Directories to begin in: what is suggested, to whom, and what of a hostile tree is not shown.
 */
import assert from 'node:assert/strict';
import { chmod, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cannotMakeUsers, makeUnixUser, sshdSkip } from '@clawdfather/testkit';
import { type Ask, createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { withHost } from '../hosts/host-world.ts';

interface Item {
  readonly name: string;
  readonly directory: string;
}

const hostileNames = ['two\nlines', 'tab\there', 'a\u202eb', 'esc\u001b[31m', 'mark\u2066x'];

async function suggest(ask: Ask, query: Record<string, string>, token?: string) {
  const search = new URLSearchParams(query).toString();
  const answer = await ask('GET', `directories?${search}`, token === undefined ? {} : { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const namesOf = (body: { readonly items: readonly Item[] }) => body.items.map(({ name }) => name);

async function makeTree(root: string): Promise<void> {
  for (const name of ['project', 'proton', '.hidden', 'other', 'a*b', 'über', ...hostileNames]) {
    await mkdir(join(root, name), { recursive: true });
  }
  await mkdir(join(root, 'project/inside'));
  await writeFile(join(root, 'profile.txt'), 'no directory');
  await symlink('project', join(root, 'prolink'));
  await symlink('nowhere', join(root, 'prodead'));
  await symlink('profile.txt', join(root, 'profilelink'));
  await symlink('proloop', join(root, 'proloop'));
}

test('directories that begin as what is typed; links to them too, files and hidden ones not', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const root = join(rig.directory, 'tree');
  await makeTree(root);
  const found = await suggest(ask, { prefix: `${root}/pro` });
  assert.deepEqual(namesOf(found), ['project', 'prolink', 'proton']);
  assert.equal(found.items[0].directory, join(root, 'project'));
  assert.deepEqual([found.has_more, found.unlisted], [false, null]);
  const all = await suggest(ask, { prefix: `${root}/` });
  assert.deepEqual(namesOf(all), ['a*b', 'other', 'project', 'prolink', 'proton', 'über']);
  assert.deepEqual(namesOf(await suggest(ask, { prefix: `${root}/.h` })), ['.hidden']);
  assert.deepEqual(namesOf(await suggest(ask, { prefix: `${root}/project/` })), ['inside']);
  assert.deepEqual(namesOf(await suggest(ask, { prefix: `${root}/a*` })), ['a*b']);
  // The home of this gateway's runs.
  for (const prefix of ['', '~', '~/', '~/tr']) {
    const home = await suggest(ask, { prefix });
    const item = home.items.find(({ name }: Item) => name === 'tree');
    assert.equal(item?.directory, root, prefix);
  }
});

test('what is not there, is no directory or may not be read is said so; nonsense is refused', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const root = join(rig.directory, 'tree');
  await makeTree(root);
  for (const path of ['nowhere/', 'profile.txt/', 'proloop/', `${'x'.repeat(300)}/`]) {
    const { items, unlisted } = await suggest(ask, { prefix: join(root, path) });
    assert.deepEqual([items, unlisted], [[], 'unreadable'], path);
  }
  for (const prefix of ['etc', '../etc', '/a\u0000b', '/a\nb', '~root/', '/'.padEnd(5_000, 'x')]) {
    const search = new URLSearchParams({ prefix }).toString();
    assert.equal((await ask('GET', `directories?${search}`)).status, 400, prefix.slice(0, 20));
  }
});

test('of many a person is shown fifty, and told that there are more', async () => {
  await using rig = await openTestGateway();
  const root = join(rig.directory, 'many');
  for (let n = 10; n < 70; n += 1) await mkdir(join(root, `d${n}`), { recursive: true });
  const found = await suggest(createAsk(rig), { prefix: `${root}/` });
  assert.deepEqual([found.items.length, found.has_more], [50, true]);
  assert.equal((await suggest(createAsk(rig), { prefix: `${root}/d1` })).has_more, false);
});

test('recent ones are those of one’s own threads, newest first, each once', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  for (const name of ['one', 'two', 'one']) {
    const directory = join(rig.directory, name);
    await mkdir(directory, { recursive: true });
    const made = await ask('POST', 'threads', { body: { agent: 'echo', directory } });
    assert.equal(made.status, 201, made.text);
  }
  const { recent } = await suggest(ask, {});
  const directories = recent.map(({ directory }: { directory: string }) => directory);
  assert.deepEqual(directories, [join(rig.directory, 'one'), join(rig.directory, 'two')]);
  const theirs = await suggest(ask, { prefix: '/' }, rig.other.token);
  assert.deepEqual(
    [theirs.recent, theirs.items, theirs.unlisted],
    [[], [], 'not_allowed'],
    'a member who runs nothing here sees nothing here',
  );
});

test('those of one’s own runs are recent, too, and not those of another account', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const directory = join(rig.directory, 'worked');
  await mkdir(directory);
  const made = await ask('POST', 'runs', { body: { command: 'true', workdir: directory } });
  assert.ok(made.status < 300, made.text);
  const { recent } = await suggest(ask, {});
  assert.deepEqual(
    recent.map((one: { directory: string }) => one.directory),
    [directory],
  );
  assert.deepEqual((await suggest(ask, {}, rig.other.token)).recent, []);
});

test('where roots are set, nothing outside of them is listed, not even through a link', async () => {
  await using rig = await openTestGateway({ suggests: ['inside', 'second'] });
  const ask = createAsk(rig);
  const root = await realpath(rig.directory);
  for (const name of ['inside/project', 'second', 'outside/secret']) {
    await mkdir(join(root, name), { recursive: true });
  }
  await symlink(join(root, 'outside'), join(root, 'inside/way-out'));
  assert.deepEqual(namesOf(await suggest(ask, { prefix: `${root}/inside/` })), [
    'project',
    'way-out',
  ]);
  for (const path of ['outside/', 'inside/way-out/', 'inside/../outside/', 'insidee/../outside/']) {
    const found = await suggest(ask, { prefix: join(root, 'x', '..') + `/${path}` });
    assert.deepEqual(found.items, [], path);
    assert.ok(['outside', 'unreadable'].includes(found.unlisted), path);
  }
  // Somebody who has typed too little is shown where to go.
  for (const prefix of ['/', `${root}/`]) {
    const { items, unlisted } = await suggest(ask, { prefix });
    assert.deepEqual(
      items.map((one: Item) => one.directory),
      [join(root, 'inside'), join(root, 'second')],
    );
    assert.equal(unlisted, null);
  }
});

test('a program is told nothing', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const scopes = ['read', 'run', 'approve', 'admin'];
  const { body } = await ask('POST', 'auth/tokens', { body: { label: 'agent', scopes } });
  assert.equal((await ask('GET', 'directories', { token: body.token })).status, 403);
});

test('a member with a Unix user sees what that user sees, and no more', {
  skip: cannotMakeUsers,
}, async () => {
  await using user = await makeUnixUser([]);
  await using rig = await openTestGateway({ otherRunsAs: user });
  const ask = createAsk(rig);
  const look = (prefix: string) => suggest(ask, { prefix }, rig.other.token);
  await makeTree(join(user.home, 'tree'));
  // Made by root: the user may read it, but not what root keeps to itself.
  await mkdir(join(user.home, 'locked/secret'), { recursive: true });
  await chmod(join(user.home, 'locked'), 0o700);
  const found = await look('~/tree/pro');
  assert.deepEqual(namesOf(found), ['project', 'prolink', 'proton']);
  assert.equal(found.items[0].directory, join(user.home, 'tree/project'));
  assert.deepEqual(namesOf(await look(`${user.home}/tree/`)), [
    'a*b',
    'other',
    'project',
    'prolink',
    'proton',
    'über',
  ]);
  assert.deepEqual(namesOf(await look('~/tree/a*')), ['a*b']);
  const ours = `${userInfo().homedir}/`;
  for (const path of [join(user.home, 'locked/'), ours, `${rig.config.stateDir}/`]) {
    const { items, unlisted } = await look(path);
    assert.deepEqual([items, unlisted], [[], 'unreadable'], path);
  }
});

test('on an SSH host only through a session that is there', { skip: sshdSkip }, (t) =>
  withHost(t, async ({ rig, ask, connectionId }) => {
    const root = join(rig.directory, 'tree');
    await makeTree(root);
    const query = { connection_id: connectionId, prefix: `${root}/pro` };
    const before = await suggest(ask, query);
    assert.deepEqual([before.items, before.unlisted], [[], 'not_connected']);
    assert.equal((await ask('GET', 'sessions?status=active')).body.total, 0, 'none was opened');
    const made = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(namesOf(await suggest(ask, query)), ['project', 'prolink', 'proton']);
    const home = await suggest(ask, { connection_id: connectionId });
    assert.equal(home.unlisted, null);
    const nowhere = await suggest(ask, { ...query, prefix: `${root}/nowhere/` });
    assert.equal(nowhere.unlisted, 'unreadable');
  }),
);
