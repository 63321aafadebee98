/*
 * The look at what a turn has left, lost at every point, with too little room, and with too much to keep.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { openSmallDisk, smallDiskSkip } from '@clawdfather/testkit';
import { abandonedMs, giveUpMs, triesMin } from '../../src/artifacts/limits.ts';
import { createLocalTree } from '../../src/artifacts/local-tree.ts';
import { TreeError } from '../../src/artifacts/artifact-tree.ts';
import type { SnapshotPoint } from '../../src/artifacts/take-snapshot.ts';
import { instanceId, openSyncRig, type SyncRig } from './sync-rig.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function itemsOf({ store, accountId }: SyncRig, turnId: string) {
  return store.forAccount(accountId).artifacts.ofTurn(turnId);
}

test('lost at every point in turn, a look ends with each file once, one event, and the right outcome', async () => {
  for (let lostAt = 1; ; lostAt += 1) {
    await using rig = await openSyncRig();
    await rig.write('dist/a.txt', 'aaa');
    await rig.write('dist/b.txt', 'bbb');
    const turnId = await rig.endTurn();
    assert.equal((await rig.store.system.artifacts.due(instanceId)).length, 1, 'AR1');
    let passed = 0;
    const points: SnapshotPoint[] = [];
    await rig.finish(turnId, {
      onPoint: (point) => {
        passed += 1;
        points.push(point);
        // From then on nothing of it happens any more.
        if (passed >= lostAt) throw new Error('lost');
      },
    });
    const sync = await rig.finish(turnId);
    assert.equal(sync?.status, 'synced', points.join());
    assert.deepEqual(
      (await itemsOf(rig, turnId)).map(({ relativePath, sha256 }) => [relativePath, sha256]),
      [
        ['dist/a.txt', hashOf('aaa')],
        ['dist/b.txt', hashOf('bbb')],
      ],
    );
    assert.equal((await rig.events()).filter((type) => type === 'artifact').length, 1);
    assert.deepEqual(await rig.store.system.artifacts.due(instanceId), []);
    if (passed < lostAt) break;
  }
});

test('what is not of this turn gives way: 64 files, and the bytes of a turn', async () => {
  await using rig = await openSyncRig();
  for (let number = 0; number < 70; number += 1) {
    await rig.write(`dist/old-${String(number).padStart(2, '0')}`, `${number}`);
    await utimes(join(rig.project, `dist/old-${String(number).padStart(2, '0')}`), 1, 1);
  }
  await rig.write('dist/zz-new', 'new');
  const turnId = await rig.endTurn();
  const sync = await rig.finish(turnId);
  assert.equal(sync?.status, 'partial');
  assert.equal(sync.itemCount, 64);
  assert.equal(sync.missingCount, 7);
  assert.ok(sync.missing.every(({ reason }) => reason === 'too-many'));
  const items = await itemsOf(rig, turnId);
  assert.ok(
    items.some(({ relativePath, news }) => relativePath === 'dist/zz-new' && news === 'new'),
  );
  const small = await rig.endTurn();
  const bounds = { turnBytesMax: 3, accountBytesMax: 1_000 };
  const other = await rig.finish(small, { bounds });
  assert.equal(other?.status, 'partial');
  assert.equal(other.missing[0]?.reason, 'turn-full');
});

test('an account that has no room left is told so; what it has already costs nothing', async () => {
  await using rig = await openSyncRig();
  await rig.write('dist/a', '0123456789');
  await rig.finish(await rig.endTurn());
  assert.equal(await rig.store.forAccount(rig.accountId).artifacts.bytesKept(), 10);
  await rig.write('dist/b', 'more');
  const bounds = { turnBytesMax: 100, accountBytesMax: 12 };
  const turnId = await rig.endTurn();
  const sync = await rig.finish(turnId, { bounds: { ...bounds, accountBytesMax: 22 } });
  assert.equal(sync?.status, 'synced', JSON.stringify(sync));
  await rig.write('dist/c', 'too much by far for this account');
  const full = await rig.finish(await rig.endTurn(), {
    bounds: { ...bounds, accountBytesMax: 30 },
  });
  assert.deepEqual(full?.missing, [{ path: 'dist/c', reason: 'account-full' }]);
});

test('an account without any room goes on with what it has; another content of the same size is refused', async () => {
  await using rig = await openSyncRig();
  await rig.write('dist/a', '0123456789');
  await rig.write('dist/b', 'more');
  await rig.finish(await rig.endTurn());
  const none = { turnBytesMax: 100, accountBytesMax: 14 };
  const turnId = await rig.endTurn();
  const sync = await rig.finish(turnId, { bounds: none });
  assert.equal(sync?.status, 'synced', JSON.stringify(sync));
  await rig.write('dist/b', 'less');
  const changed = await rig.finish(await rig.endTurn(), { bounds: none });
  assert.deepEqual(changed?.missing, [{ path: 'dist/b', reason: 'account-full' }]);
  assert.equal(await rig.store.forAccount(rig.accountId).artifacts.bytesKept(), 14);
});

test('a directory that is not there, and a host that is away, are said after some tries', async () => {
  await using rig = await openSyncRig();
  const gone = await rig.finish(await rig.endTurn(), {
    treeOf: async () => createLocalTree(join(rig.project, 'none')),
  });
  assert.equal(gone?.status, 'failed');
  assert.deepEqual(gone.missing, [{ path: '.', reason: 'vanished' }]);
  let tries = 0;
  const treeOf = async () => {
    tries += 1;
    throw new TreeError('unreachable');
  };
  const patience = { giveUpMs: 20, retryMs: 5 };
  const away = await rig.finish(await rig.endTurn(), { treeOf, patience });
  assert.deepEqual(away?.missing, [{ path: '.', reason: 'unreachable' }]);
  assert.ok(tries > 1);
});

test('a host that comes back in time is looked at as if it had never been away', async () => {
  await using rig = await openSyncRig();
  await rig.write('dist/a', 'a');
  let tries = 0;
  const treeOf = async () => {
    tries += 1;
    if (tries < 4) throw new TreeError('unreachable');
    return createLocalTree(rig.project);
  };
  const patience = { giveUpMs: 600_000, retryMs: 1 };
  const sync = await rig.finish(await rig.endTurn(), { treeOf, patience });
  assert.equal(sync?.status, 'synced');
});

test('more looks at hosts that are away than are read at once keep no newer turn waiting', async () => {
  await using rig = await openSyncRig();
  await rig.write('dist/a', 'a');
  const away = 65;
  for (let count = 0; count < away; count += 1) await rig.endTurn();
  const turnId = await rig.endTurn();
  let looks = 0;
  const treeOf = async () => {
    looks += 1;
    if (looks <= away) throw new TreeError('unreachable');
    return createLocalTree(rig.project);
  };
  // Whichever is looked at after the 65 are tried is kept: the newest, or one of them that is tried again.
  const patience = { giveUpMs: 600_000, retryMs: 1_000 };
  assert.equal((await rig.finish(turnId, { treeOf, patience }))?.status, 'synced');
});

test('a full disk is named, leaves nothing behind, and is over when there is room', {
  skip: smallDiskSkip,
}, async () => {
  using disk = openSmallDisk('size=1m');
  await using rig = await openSyncRig({ directory: join(disk.path, 'artifacts') });
  await rig.write('dist/a', 'x'.repeat(300_000));
  disk.fill();
  const patience = { giveUpMs: 0, retryMs: 1 };
  const full = await rig.finish(await rig.endTurn(), { patience });
  assert.equal(full?.status, 'failed');
  assert.deepEqual(full.missing, [{ path: 'dist/a', reason: 'disk-full' }]);
  assert.deepEqual(await readdir(join(rig.directory, 'incoming')), []);
  const turnId = await rig.endTurn();
  let tries = 0;
  const sync = await rig.finish(turnId, {
    patience: { giveUpMs: 600_000, retryMs: 1 },
    onPoint: (point) => {
      if (point !== 'before-list') return;
      tries += 1;
      if (tries === 3) disk.relieve();
    },
  });
  assert.equal(sync?.status, 'synced');
  assert.deepEqual(await readdir(join(rig.directory, 'incoming')), []);
  // Room that others need more is not taken, even where it is there.
  const kept = await rig.finish(await rig.endTurn(), { patience, roomBytes: 2 ** 20 });
  assert.deepEqual(kept?.missing, [{ path: 'dist/a', reason: 'disk-full' }]);
});

test('bytes that no row names go after a day; those that one names never do, whoever stores them meanwhile', async () => {
  await using rig = await openSyncRig();
  await rig.write('dist/a', 'kept');
  const turnId = await rig.endTurn();
  await rig.finish(turnId);
  const intake = await rig.contents.openIntake();
  await intake.take(Buffer.from('unnamed'));
  await intake.keep(rig.accountId);
  const { artifacts } = rig.store.forAccount(rig.accountId);
  const dayMs = 86_400_000;
  const { signal } = new AbortController();
  const collect = (
    nowMs: number,
    isNamed = (_id: string, hash: string) => artifacts.isKept(hash),
  ) => rig.contents.collect({ isNamed, nowMs, unnamedKeptMs: dayMs, signal });
  const files = join(rig.directory, 'files', rig.accountId);
  const laterMs = Date.now() + 2 * dayMs;
  assert.equal(
    await collect(Date.now()),
    0,
    'a young one may be of a snapshot that has no rows yet',
  );
  assert.equal((await readdir(files)).length, 2);
  // A row names it in the moment after it was looked for: it is put back.
  let looks = 0;
  assert.equal(
    await collect(laterMs, async (_id, hash) => hash === hashOf('kept') || (looks += 1) > 1),
    0,
  );
  assert.equal((await readdir(files)).length, 2);
  assert.equal(await collect(laterMs), 1);
  assert.deepEqual(await readdir(files), [hashOf('kept')]);
  assert.deepEqual(await readdir(join(rig.directory, 'removed')), []);
  // When its time is over, its row lets go of it; the name stays.
  assert.equal(await rig.store.system.artifacts.removeContentsBefore(laterMs), 1);
  assert.equal(await collect(laterMs), 1);
  assert.equal((await itemsOf(rig, turnId))[0]?.relativePath, 'dist/a');
  assert.equal(await artifacts.bytesKept(), 0);
});

test('files and directories of contents are ours alone', async () => {
  await using rig = await openSyncRig();
  await rig.write('dist/a', 'kept');
  await rig.finish(await rig.endTurn());
  const files = join(rig.directory, 'files', rig.accountId);
  for (const [path, mode] of [
    [rig.directory, 0o700],
    [files, 0o700],
    [join(files, hashOf('kept')), 0o600],
  ] as const) {
    assert.equal((await stat(path)).mode & 0o777, mode, path);
  }
});

test('how long a host is waited for counts from the end of the turn, however often gateways start anew', async () => {
  await using rig = await openSyncRig();
  const turnId = await rig.endTurn();
  const system = createSystemClock();
  // A gateway that starts when the time is over.
  const clock = { ...system, wallMs: () => system.wallMs() + giveUpMs };
  let tries = 0;
  const treeOf = async (): Promise<never> => {
    tries += 1;
    throw new TreeError('unreachable');
  };
  const patience = { giveUpMs, retryMs: 1 };
  const sync = await rig.finish(turnId, { treeOf, clock, patience });
  assert.deepEqual(sync?.missing, [{ path: '.', reason: 'unreachable' }]);
  assert.equal(tries, triesMin);
});

test('the look of a gateway that never came back is ended by another after a day, and only then', async () => {
  await using rig = await openSyncRig();
  await rig.write('dist/a.txt', 'aaa');
  const turnId = await rig.endTurn();
  const nowMs = createSystemClock().wallMs();
  const { artifacts } = rig.store.forAccount(rig.accountId);
  // It may still come.
  await rig.settleAbandoned('gateway-b', nowMs + abandonedMs - 60_000);
  // Its own are for itself.
  await rig.settleAbandoned(instanceId, nowMs + 2 * abandonedMs);
  assert.equal((await artifacts.syncOf(turnId))?.status, 'syncing');
  await rig.settleAbandoned('gateway-b', nowMs + abandonedMs + 60_000);
  const sync = await artifacts.syncOf(turnId);
  assert.equal(sync?.status, 'failed');
  assert.deepEqual(sync.missing, [{ path: '.', reason: 'unreachable' }]);
  // It comes back after all: there is one outcome, and one event.
  assert.deepEqual(await rig.store.system.artifacts.due(instanceId), []);
  assert.equal((await rig.events()).filter((type) => type === 'artifact').length, 1);
});
