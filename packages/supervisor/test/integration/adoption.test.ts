/*
 * A run outlives its owner: whoever comes next finds it, owns it, and misses nothing (O2, O3, I1, J2).
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSupervisor } from '@clawdfather/supervisor';
import { bytesOf, createRig, runIdOf, textOf, untilOutput } from './rig.ts';
import { isAlive, seeProcess } from './process-table.ts';

test('J2: adopted in mid-output, a reader goes on at its cursor and gets every byte once', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const lines = 20_000;
  const script = `i=0; while [ $i -lt ${lines} ]; do echo line-$i; i=$((i+1)); done`;
  const { runId } = await owner.call('spawn', rig.sh(script));
  const watcher = await rig.supervisor({ adoption: 'record' });
  const before = await watcher.attach(runIdOf(runId));
  let text = '';
  let cursor;
  for await (const event of before.output()) {
    if (event.kind !== 'output') continue;
    text += Buffer.from(event.bytes).toString();
    cursor = event.cursor;
    if (text.includes('line-500\n')) break;
  }
  await owner.kill();
  const supervisor = await rig.supervisor();
  const after = await supervisor.attach(runIdOf(runId));
  text += (await bytesOf(after.output(cursor))).toString();
  const expected = Array.from({ length: lines }, (_, index) => `line-${index}\n`).join('');
  assert.equal(text, expected);
  assert.equal((await after.wait()).code, 0);
});

test('O3: an adopted run is told its new owner, and the old epoch is refused', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { runId, pid } = await owner.call('spawn', rig.sh('exec cat'));
  await owner.kill();
  const supervisor = await rig.supervisor();
  const record = supervisor.get(runIdOf(runId));
  assert.equal(record?.epoch, 2);
  assert.equal(record.ownerGeneration, supervisor.generation);
  assert.equal(rig.events.counted('run_lease_steal_total'), 1);
  assert.equal(rig.events.counted('run_reconcile_orphans_total'), 1);
  const stolen = rig.events.all('lease-stolen');
  assert.deepEqual(
    stolen.map(({ epoch, previousGeneration }) => ({ epoch, previousGeneration })),
    [{ epoch: 2, previousGeneration: 1 }],
  );
  const run = await supervisor.attach(runIdOf(runId));
  assert.equal(run.pid, pid);
  await run.write('hello\n');
  await run.end();
  assert.equal((await run.wait()).reason, 'exit');
  assert.equal(await textOf(run), 'hello\n');
});

test('I1: a prompt accepted by the shim and never recorded as sent arrives once', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { runId } = await owner.call('spawn', rig.sh('exec cat > received'));
  await owner.call('write', runId, 'one ', true);
  const [{ offset } = {}] = rig.sql('SELECT input_offset AS offset FROM runs');
  assert.equal(offset, 4);
  await owner.kill();
  /* As a crash between acceptance and trimming leaves it: the entry is there again. */
  rig.sql(
    "INSERT INTO input_outbox (run_id, offset, bytes) VALUES (?, 0, CAST('one ' AS BLOB))",
    runId,
  );

  const supervisor = await rig.supervisor();
  const run = await supervisor.attach(runIdOf(runId));
  await run.write('two', { durable: true });
  assert.deepEqual(rig.sql('SELECT * FROM input_outbox'), []);
  await run.end();
  assert.equal((await run.wait()).code, 0);
  assert.equal(readFileSync(join(rig.scratchDir, 'received'), 'utf8'), 'one two');
});

test('I1: a prompt committed and never sent is sent by the adopter', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { runId } = await owner.call('spawn', rig.sh('exec cat > received'));
  await owner.kill();
  rig.sql(
    "INSERT INTO input_outbox (run_id, offset, bytes) VALUES (?, 0, CAST('hello' AS BLOB))",
    runId,
  );
  rig.sql('UPDATE runs SET input_offset = 5');
  const supervisor = await rig.supervisor();
  const run = await supervisor.attach(runIdOf(runId));
  await run.write(' again', { durable: true });
  await run.end();
  await run.wait();
  assert.equal(readFileSync(join(rig.scratchDir, 'received'), 'utf8'), 'hello again');
});

test('T5: a cancel that was recorded and never told is carried out by the adopter', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { runId, pid } = await owner.call('spawn', rig.sh('exec sleep 300'));
  await owner.kill();
  rig.sql('UPDATE runs SET state = 2');
  const supervisor = await rig.supervisor();
  const run = await supervisor.attach(runIdOf(runId));
  assert.equal((await run.wait()).reason, 'manual-cancel');
  assert.equal(isAlive(pid), false);
});

test('S1: a run whose start was never recorded is adopted, and can be cancelled', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { runId, pid } = await owner.call('spawn', rig.sh('echo up; exec sleep 300'));
  await owner.kill();
  /* As if it had died before the commit of `running`. */
  rig.sql(`UPDATE runs SET state = 0, pid = NULL, process_group_id = NULL, start_ticks = NULL,
    shim_pid = NULL, shim_start_ticks = NULL, run_dir_dev = NULL, run_dir_ino = NULL, started_at_ms = NULL`);
  const supervisor = await rig.supervisor();
  const run = await supervisor.attach(runIdOf(runId));
  assert.equal(run.pid, pid);
  assert.equal(supervisor.get(runIdOf(runId))?.state, 'running');
  await untilOutput(run, 'up');
  await run.cancel();
  assert.equal((await run.wait()).reason, 'manual-cancel');
});

test('T7: a killed spawnd is nothing to its runs; the next spawn starts another', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const first = await supervisor.spawn(rig.sh('read line; echo got $line; exit 6'));
  const shim = seeProcess(first.pid)?.parentPid ?? 0;
  const spawnd = seeProcess(shim)?.parentPid ?? 0;
  assert.equal(seeProcess(spawnd)?.comm, 'clf-spawnd');
  process.kill(spawnd, 'SIGKILL');
  await rig.untilGone(spawnd);
  const second = await supervisor.spawn(rig.sh('exit 8'));
  assert.equal((await second.wait()).code, 8);
  assert.equal(rig.events.all('spawnd-restarted').length, 1);
  assert.ok(isAlive(first.pid));
  await first.write('it\n');
  assert.equal((await first.wait()).code, 6);
  assert.equal(await textOf(first), 'got it\n');
});

test('S1: a spawnd killed with spawns under way: every command runs, and runs once', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  for (let round = 0; round < 10; round += 1) {
    const holder = await supervisor.spawn(rig.sh('exec sleep 300'));
    const spawnd = seeProcess(seeProcess(holder.pid)?.parentPid ?? 0)?.parentPid ?? 0;
    const spawning = Array.from({ length: 24 }, async (_, index) => {
      const file = `lines-${round}-${index}`;
      const run = await supervisor.spawn(rig.sh(`echo once >> ${file}; exit 6`));
      assert.equal((await run.wait()).code, 6);
      assert.equal(readFileSync(join(rig.scratchDir, file), 'utf8'), 'once\n');
    });
    for (let turn = 0; turn < round; turn += 1) await new Promise((next) => setImmediate(next));
    process.kill(spawnd, 'SIGKILL');
    await Promise.all(spawning);
    await holder.cancel();
    await holder.wait();
  }
});

test('O6: a copied state directory is another instance and never touches the runs', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('exec sleep 300', { ownerLoss: 'kill' }));
  const copyParent = mkdtempSync(join(tmpdir(), 'clf-copy-'));
  const copyDir = join(copyParent, 'state');
  execFileSync('cp', ['-a', rig.stateDir, copyDir]);
  const copy = await createSupervisor({ stateDir: copyDir });
  try {
    assert.notEqual(copy.instanceId, supervisor.instanceId);
    const [decision] = await copy.reconcile();
    assert.equal(decision?.decision, 'unverifiable');
    assert.match(decision.why, /copied/);
    await copy.cancel(run.runId).catch(() => undefined);
    const { decisions } = await copy.gc({ policy: { ageMs: 0, runsMax: 0, bytesMax: 0 } });
    assert.ok(decisions.every(({ decision: done }) => done === 'keep'));
  } finally {
    await copy.close();
    rmSync(copyParent, { recursive: true });
  }
  assert.ok(isAlive(run.pid));
  assert.equal(supervisor.get(run.runId)?.epoch, 1);
  await run.cancel();
  assert.equal((await run.wait()).reason, 'manual-cancel');
});
