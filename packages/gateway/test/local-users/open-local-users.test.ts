/*
 * Which Unix users accounts may have; a mistake keeps the gateway from starting.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hasCode } from '@clawdfather/kit';
import { parseAccountId } from '@clawdfather/store';
import { cannotMakeUsers as skip, makeUnixUser } from '@clawdfather/testkit';
import { openLocalUsers } from '../../src/local-users/open-local-users.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const ownerId = parseAccountId('owner');

async function refusalOf(accounts: readonly { readonly id: string; readonly runAs: string }[]) {
  try {
    await openLocalUsers({ ownerId, accounts });
  } catch (error) {
    assert.ok(hasCode(error, 'account-user-unusable'), String(error));
    assert.match(error.hint ?? '', /accounts\.\w+\.runAs/);
    return error.message;
  }
  return assert.fail('it was opened');
}

test('a user that is missing, root, or no name at all is refused, by the name of the setting', async () => {
  for (const [runAs, why] of [
    ['no-such-user-here', 'is no user of this machine'],
    ['root', 'is root, who can do everything here'],
    ['0', 'is no user of this machine'],
    ['--help', 'is no user of this machine'],
    ['a:b', 'is no user of this machine'],
    ['', 'is no user of this machine'],
  ] as const) {
    const said = await refusalOf([{ id: 'member', runAs }]);
    assert.equal(said, `accounts.member.runAs: ${JSON.stringify(runAs)} ${why}`);
  }
});

test('the owner has none, and no two accounts have the same', { skip }, async () => {
  await using user = await makeUnixUser();
  const runAs = user.name;
  assert.match(await refusalOf([{ id: ownerId, runAs }]), /another account than the owner/);
  const two = [
    { id: 'one', runAs },
    { id: 'two', runAs },
  ];
  const root = mkdtempSync(join(tmpdir(), 'clf-users-'));
  try {
    chmodSync(root, 0o711);
    await assert.rejects(openLocalUsers({ ownerId, accounts: two, temporaryRoot: root }), {
      code: 'account-user-unusable',
      message: /is the user of accounts.one.runAs too/,
    });
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a gateway that is not root gives nobody another user, its own least of all', {
  skip,
}, async () => {
  await using user = await makeUnixUser();
  await using other = await makeUnixUser();
  const program = fileURLToPath(new URL('../fixtures/open-local-users-as.ts', import.meta.url));
  const args = ['--conditions=@clawdfather/source', program];
  const run = promisify(execFile);
  const as = async (runAs: string) =>
    (await run(process.execPath, [...args, runAs], { uid: user.uid, gid: user.gid })).stdout;
  assert.match(await as(user.name), /^account-user-unusable .* the user that the gateway runs as/);
  assert.match(await as(other.name), /^account-user-unusable .* needs a gateway that runs as root/);
});

test('a gateway with a mistake in it does not start', async () => {
  const accounts = [{ id: '0123456789abcdef', runAs: 'root' }];
  await assert.rejects(openTestGateway({ config: { accounts } }), {
    code: 'account-user-unusable',
    message: 'accounts.0123456789abcdef.runAs: "root" is root, who can do everything here',
  });
});

test('a temporary directory is the user’s alone; what others put in its place is refused', {
  skip,
}, async () => {
  await using user = await makeUnixUser();
  const place = mkdtempSync(join(tmpdir(), 'clf-users-'));
  const temporaryRoot = join(place, 'users');
  const accounts = [{ id: 'member', runAs: user.name }];
  const open = () => openLocalUsers({ ownerId, accounts, temporaryRoot });
  try {
    const users = await open();
    const path = users.of('member')?.temporaryDirectory ?? '';
    const { uid, mode } = statSync(path);
    assert.deepEqual([uid, mode & 0o777], [user.uid, 0o700]);
    rmSync(path, { recursive: true });
    assert.equal(users.of('member')?.temporaryDirectory, path);
    assert.ok(statSync(path).isDirectory(), 'made again after it was tidied away');
    rmSync(path, { recursive: true });
    symlinkSync('/etc', path);
    assert.throws(() => users.of('member'), {
      code: 'account-not-local',
      message: /is not a directory of user/,
    });
    rmSync(path);
    mkdirSync(path, { mode: 0o777 });
    chmodSync(path, 0o777);
    chownSync(path, user.uid, user.gid);
    await assert.rejects(open(), { code: 'account-user-unusable' });
    rmSync(temporaryRoot, { recursive: true });
    mkdirSync(temporaryRoot);
    chownSync(temporaryRoot, user.uid, user.gid);
    await assert.rejects(open(), { code: 'account-user-unusable' });
  } finally {
    rmSync(place, { recursive: true });
  }
});

test('its user can use it, whatever the gateway’s umask, and one that was left half made is finished', {
  skip,
}, async () => {
  await using user = await makeUnixUser();
  const place = mkdtempSync(join(tmpdir(), 'clf-users-'));
  chmodSync(place, 0o711);
  const umask = process.umask(0o077);
  try {
    const temporaryRoot = join(place, 'users');
    mkdirSync(temporaryRoot);
    mkdirSync(join(temporaryRoot, String(user.uid)));
    const accounts = [{ id: 'member', runAs: user.name }];
    const users = await openLocalUsers({ ownerId, accounts, temporaryRoot });
    const file = join(users.of('member')?.temporaryDirectory ?? '', 'file');
    execFileSync('/usr/bin/touch', [file], { uid: user.uid, gid: user.gid });
    assert.equal(statSync(file).uid, user.uid);
  } finally {
    process.umask(umask);
    rmSync(place, { recursive: true });
  }
});
