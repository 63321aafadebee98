/*
 * Directories that a shell looks at: as another Unix user here, and through a real sshd on a host.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync, truncateSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cannotMakeUsers, fakeAgentCommand, makeUnixUser, sshdSkip } from '@clawdfather/testkit';
import type { ArtifactTree } from '../../src/artifacts/artifact-tree.ts';
import { createShellHere } from '../../src/artifacts/shell-here.ts';
import { createShellTree } from '../../src/artifacts/shell-tree.ts';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { closeSessions, withHost } from '../hosts/host-world.ts';
import { untilSynced } from './until-synced.ts';

const { signal } = new AbortController();

async function readOf(tree: ArtifactTree, path: string) {
  const pieces: Buffer[] = [];
  const file = { path, sizeBytes: 0, modifiedAtMs: 0 };
  const outcome = await tree.read(
    file,
    async (piece) => void pieces.push(Buffer.from(piece)),
    signal,
  );
  return { outcome, bytes: Buffer.concat(pieces) };
}

test('as another user: its files byte for byte, and nothing that it may not read or that a link leads to', {
  skip: cannotMakeUsers,
}, async () => {
  await using user = await makeUnixUser();
  const root = join(user.home, 'project');
  mkdirSync(join(root, 'dist/sub dir'), { recursive: true });
  chownSync(root, user.uid, user.gid);
  const bytes = randomBytes(300_000);
  await writeFile(join(root, 'dist/sub dir/big.bin'), bytes);
  await writeFile(join(root, "dist/it's $(x).txt"), 'CLF-FILE file 3 3\nCLF-END same\n');
  await writeFile(join(root, 'dist/empty'), '');
  await writeFile(join(root, 'dist/new\n81a4 3 3 .\u002f../../secret'), 'x');
  await writeFile(join(root, 'dist/roots-own'), 'root');
  chmodSync(join(root, 'dist/roots-own'), 0o600);
  symlinkSync('/etc/passwd', join(root, 'dist/link'));
  symlinkSync('/etc', join(root, 'reports'));
  execFileSync('mkfifo', [join(root, 'dist/pipe')]);
  await writeFile(join(root, 'dist/huge'), '');
  truncateSync(join(root, 'dist/huge'), 100 * 1024 ** 3);
  const tree = createShellTree(createShellHere(user), { directory: root, isLoose: false });
  const { files, missing } = await tree.list(['dist', 'reports', 'none'], signal);
  assert.deepEqual(files.map(({ path }) => path).toSorted(), [
    'dist/empty',
    "dist/it's $(x).txt",
    'dist/roots-own',
    'dist/sub dir/big.bin',
  ]);
  const reasons = missing.items.map(({ path, reason }) => `${path}: ${reason}`);
  for (const expected of [
    'dist/link: symlink',
    'dist/pipe: not-a-file',
    'dist/huge: too-large',
    'reports: symlink',
  ]) {
    assert.ok(reasons.includes(expected), reasons.join('\n'));
  }
  const big = await readOf(tree, 'dist/sub dir/big.bin');
  assert.ok(big.bytes.equals(bytes));
  assert.equal(typeof big.outcome, 'object');
  assert.equal(
    (await readOf(tree, "dist/it's $(x).txt")).bytes.toString(),
    'CLF-FILE file 3 3\nCLF-END same\n',
  );
  assert.equal(typeof (await readOf(tree, 'dist/empty')).outcome, 'object');
  for (const [path, reason] of [
    ['dist/link', 'symlink'],
    ['dist/roots-own', 'unreadable'],
    ['dist/pipe', 'not-a-file'],
    ['dist/none', 'vanished'],
    ['reports/passwd', 'symlink'],
    ['dist/huge', 'too-large'],
  ] as const) {
    const { outcome, bytes: got } = await readOf(tree, path);
    assert.deepEqual([outcome, got.length], [reason, 0], path);
  }
  renameSync(join(root, 'dist/sub dir'), join(root, 'dist/moved'));
  symlinkSync('/etc', join(root, 'dist/sub dir'));
  assert.deepEqual((await readOf(tree, 'dist/sub dir/passwd')).outcome, 'symlink');
  const nowhere = createShellTree(createShellHere(user), { directory: '/none', isLoose: false });
  await assert.rejects(nowhere.list(['dist'], signal), { reason: 'vanished' });
});

test('what an agent leaves on an SSH host is kept and downloaded; links there are named', {
  skip: sshdSkip,
  timeout: 120_000,
}, async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-host-artifacts-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, 'reports'));
  symlinkSync('/etc/passwd', join(directory, 'reports/link'));
  const agents = { named: [{ name: 'echo', command: fakeAgentCommand() }] };
  await withHost(
    context,
    async (world) => {
      const me = callerOf(world.rig.url, world.rig.owner.token);
      const talk = createTalk(() => me);
      await talk.begin({ connection_id: world.connectionId, directory });
      const turn = await talk.say('file: reports/a.txt from the host');
      await talk.until(isEndOf(turn));
      const { items, artifact_sync } = await untilSynced(me, turn);
      assert.equal(artifact_sync.status, 'partial', JSON.stringify(artifact_sync));
      assert.deepEqual(artifact_sync.missing, [{ path: 'reports/link', reason: 'symlink' }]);
      assert.equal(items[0].relative_path, 'reports/a.txt');
      const response = await fetch(new URL(items[0].download_url, world.rig.url));
      assert.equal(await response.text(), 'from the host');
      await closeSessions(world.ask);
    },
    { config: { agents } },
  );
});
