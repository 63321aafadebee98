/*
 * The registry between real processes: stealing is atomic (O2, O3), a frozen
 * process that holds the lock blocks nobody's loop (S2), and a kill -9 in the
 * middle of commits leaves a consistent file.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { readHost } from '../../src/evidence/host.ts';
import { startChild } from '../child-process.ts';
import { exitOf, newRunOf, processOf } from '../records.ts';
import { openHere } from '../fixtures/registry/open-registry.ts';
import { openRig, tempDir } from './registry-rig.ts';

const program = (name: string): URL => new URL(`../fixtures/registry/${name}.ts`, import.meta.url);

interface Taken {
  readonly generation: number;
  readonly taken: readonly { readonly runId: string; readonly epoch: number }[];
}

test('O2: of two supervisors racing for 1,000 runs exactly one takes each', async (t) => {
  const dir = `${await tempDir(t)}/state`;
  const { registry, owner } = await openHere(dir);
  t.after(() => registry.close());
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, index) => {
      const run = newRunOf(`run-${index}`);
      await registry.write((to) => to.insertStarting(run, owner));
      await registry.write((to) => to.markRunning({ runId: run.runId, epoch: 1 }, processOf(), 1));
    }),
  );
  await registry.releaseOwner(owner);

  const racers = [
    startChild(t, program('take-all'), [dir]),
    startChild(t, program('take-all'), [dir]),
  ];
  for (const racer of racers) assert.equal(await racer.line(), 'ready');
  for (const racer of racers) racer.process.stdin?.write('go\n');
  const results = await Promise.all(
    racers.map(async (racer) => JSON.parse(await racer.line()) as Taken),
  );

  const all = results.flatMap(({ taken }) => taken);
  assert.equal(all.length, 1_000, 'every run is taken');
  assert.equal(new Set(all.map(({ runId }) => runId)).size, 1_000, 'and none twice');
  assert.ok(all.every(({ epoch }) => epoch === 2));
  for (const { generation, taken } of results) {
    for (const { runId } of taken) {
      assert.equal(registry.get(runId)?.ownerGeneration, generation);
      assert.equal(registry.get(runId)?.epoch, 2);
    }
  }
  const run = registry.open()[0];
  assert.ok(run);
  const settlement = {
    exit: exitOf(),
    isTreeGone: true,
    journalBytes: 1,
    lastOutputAtMs: undefined,
  };
  await assert.rejects(
    registry.write((to) => to.finalise({ runId: run.runId, epoch: 1 }, settlement)),
    { code: 'epoch-stale' },
    'the one they were taken from can do nothing any more',
  );
});

test('S2: a process that is frozen inside a transaction delays writes and blocks no loop', async (t) => {
  const { registry, stateDir, openOwner } = await openRig(t);
  const owner = await openOwner();
  const holder = startChild(t, program('hold-lock'), [stateDir.registryFile]);
  assert.equal(await holder.line(), 'locked');
  holder.process.kill('SIGSTOP');

  const begun = performance.eventLoopUtilization();
  const write = registry.write((to) => to.insertStarting(newRunOf('r1'), owner));
  let isWritten = false;
  const noted = write.then(() => {
    isWritten = true;
  });
  await sleep(1_000);
  const { active, idle } = performance.eventLoopUtilization(begun);
  assert.equal(isWritten, false);
  assert.equal(registry.get('r1'), undefined, 'reads go on');
  // Waiting for the lock would be done inside of the loop's turns. What other processes take of the machine falls between them.
  assert.ok(active < idle, `the loop was held for ${active} ms and waited for ${idle} ms`);

  holder.process.kill('SIGCONT');
  holder.process.stdin?.write('go\n');
  await noted;
  assert.equal(registry.get('r1')?.state, 'starting');
});

test('kill -9 in the middle of commits loses nothing that was acknowledged', async (t) => {
  const dir = `${await tempDir(t)}/state`;
  const inserted = new Set<string>();
  const finalised = new Set<string>();
  for (let cycle = 0; cycle < 8; cycle += 1) {
    const child = startChild(t, program('commit-for-ever'), [dir]);
    const killAfter = 40 + cycle * 37;
    for (let lines = 0; lines < killAfter; lines += 1) {
      const [what, runId = ''] = (await child.line()).split(' ');
      if (what === 'inserted') inserted.add(runId);
      if (what === 'finalised') finalised.add(runId);
    }
    child.process.kill('SIGKILL');
    await child.exited;
  }

  const { registry, owner } = await openHere(dir);
  t.after(() => registry.close());
  for (const runId of inserted) assert.ok(registry.get(runId), `${runId} was acknowledged`);
  for (const runId of finalised) assert.equal(registry.get(runId)?.state, 'exited');
  assert.equal(owner.generation, 9, 'each life had a generation of its own');
  const db = new DatabaseSync(`${dir}/registry.db`);
  t.after(() => db.close());
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
  const orphans = 'SELECT count(*) AS n FROM run_labels WHERE seq NOT IN (SELECT seq FROM runs)';
  assert.equal(db.prepare(orphans).get()?.['n'], 0, 'a run and its labels are one');
});

test('C1: every process of this boot reads the same monotonic clock', async (t) => {
  const before = readHost().bootMs();
  const child = startChild(t, new URL('../fixtures/evidence/print-host.ts', import.meta.url));
  const other = JSON.parse(await child.line()) as { bootMs: number; bootId: string };
  const after = readHost().bootMs();
  assert.ok(before <= other.bootMs && other.bootMs <= after);
  assert.equal(other.bootId, readHost().bootId);
});
