/*
 * Handles on runs, ours and other people's, over their whole life: attach, the operator's commands, closing, being
 * taken over (O4, E8, T5).
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readlinkSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { binaryPath, bytesOf, createRig, type Rig, runIdOf, textOf, untilOutput } from './rig.ts';
import { createHurriedClock } from './hurried-clock.ts';
import { isAlive, markVariable, seeProcess } from './process-table.ts';

test('O4: anyone of the same user may write, resize, signal and end a run; its owner stays', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const supervisor = await rig.supervisor();
  const script =
    'trap "echo usr1" USR1; echo up; while read line; do echo "got $line"; done; exit 3';
  const { runId } = await owner.call('spawn', rig.sh(script));
  const run = await supervisor.attach(runIdOf(runId));
  await untilOutput(run, 'up');
  await run.write('from outside\n');
  await untilOutput(run, 'got from outside');
  await run.signal('SIGUSR1');
  await untilOutput(run, 'usr1');
  await assert.rejects(run.write('promised', { durable: true }), { code: 'not-owner' });
  await run.resize({ cols: 10, rows: 10 });
  await run.end();
  const exit = await run.wait();
  assert.deepEqual(await owner.call('wait', runId), JSON.parse(JSON.stringify(exit)));
  const record = supervisor.get(run.runId);
  assert.equal(record?.epoch, 1);
  assert.notEqual(record?.ownerGeneration, supervisor.generation);
});

/* Connections this process has to the sockets of shims and spawnd. */
function openSockets(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:');
    } catch {
      return false; /* the listing's own descriptor */
    }
  }).length;
}

test('O4: handles that were dropped hold no connection, however many there were', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const supervisor = await rig.supervisor();
  const { runId } = await owner.call('spawn', rig.sh('trap : USR1; while :; do sleep 0.05; done'));
  const before = openSockets();
  /* A shim takes 64 connections at most. */
  for (let count = 0; count < 100; count += 1) {
    const run = await supervisor.attach(runIdOf(runId));
    await run.signal('SIGUSR1');
  }
  await rig.until(() => openSockets() <= before, 'the connections are closed');
  await supervisor.cancel(runIdOf(runId), 'manual-cancel', 'somebody else');
  assert.equal((await owner.call('wait', runId)).actor, 'somebody else');
});

test('J2: attach at a cursor reads from there', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('printf one; read _; printf two; read _'));
  const [first] = await take(run.output(), 1);
  assert.ok(first !== undefined);
  await run.write('\n');
  const live = await supervisor.attach(run.runId, first.cursor);
  const [second] = await take(live.output(), 1);
  assert.equal(second?.kind === 'output' && Buffer.from(second.bytes).toString(), 'two');
  await run.end();
  await run.wait();
  const later = await supervisor.attach(run.runId, first.cursor);
  assert.equal((await bytesOf(later.output())).toString(), 'two');
  assert.equal(await textOf(await supervisor.attach(run.runId)), 'onetwo');
});

async function take<Item>(items: AsyncIterable<Item>, count: number): Promise<readonly Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}

test('closing lets go: waiting and reading end with a reason, the run goes on', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const foreign = await owner.call('spawn', rig.sh('exec sleep 300'));
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('echo up; exec sleep 300'));
  const theirs = await supervisor.attach(runIdOf(foreign.runId));
  await untilOutput(run, 'up');
  const ends = [run.wait(), textOf(run), theirs.wait(), textOf(theirs)].map((promise) =>
    assert.rejects(promise, { code: 'supervisor-closed' }),
  );
  await supervisor.close();
  await Promise.all(ends);
  await supervisor.close();
  await assert.rejects(supervisor.spawn(rig.sh('exit 0')), { code: 'registry-closed' });
  assert.ok(isAlive(run.pid));
  const next = await rig.supervisor();
  assert.equal(rig.events.all('reconcile').at(-1)?.decision.decision, 'adopted');
  await next.cancel(run.runId);
  assert.equal((await (await next.attach(run.runId)).wait()).reason, 'manual-cancel');
  await owner.call('cancel', foreign.runId);
  await owner.call('wait', foreign.runId);
});

test('O3: waiting and reading end with a reason when the run is taken over', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('echo up; exec sleep 300'));
  await untilOutput(run, 'up');
  const ends = [run.wait(), textOf(run)].map((promise) =>
    assert.rejects(promise, { code: 'epoch-stale' }),
  );
  rig.sql('UPDATE owners SET lease_expires_at_ms = 1');
  const thief = await rig.owner();
  assert.equal((await thief.call('get', run.runId))?.epoch, 2);
  /* It learns of it with the first thing it wants to do. */
  await run.cancel();
  await Promise.all(ends);
  assert.ok(isAlive(run.pid), 'a cancel by who lost it is refused');
  await thief.call('cancel', run.runId);
  assert.equal((await thief.call('wait', run.runId)).reason, 'manual-cancel');
});

test('a beat of the lease tells which runs have said something', async (t) => {
  const rig = createRig(t);
  const clock = createHurriedClock();
  const supervisor = await rig.supervisor({ clock });
  const run = await supervisor.spawn(rig.sh('echo up; exec sleep 300'));
  clock.hurry(50);
  const { atMs } = await rig.events.until('output-heartbeat');
  await rig.until(() => supervisor.get(run.runId)?.lastOutputAtMs === atMs, 'it is recorded');
  clock.hurry(1);
  await run.cancel();
  await run.wait();
});

test('a signal, an adoption and an end are no output', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const { runId } = await owner.call('spawn', rig.sh('exec sleep 300', { runId: 'silent' }));
  await owner.call('signal', runId, 'SIGCONT');
  await owner.kill();
  const clock = createHurriedClock();
  const supervisor = await rig.supervisor({ clock });
  const run = await supervisor.attach(runIdOf(runId));
  await run.signal('SIGCONT');
  const leaseEnd = (): unknown =>
    rig.sql('SELECT max(lease_expires_at_ms) AS at FROM owners')[0]?.['at'];
  const before = leaseEnd();
  clock.hurry(50);
  await rig.until(() => leaseEnd() !== before, 'a beat of the lease');
  clock.hurry(1);
  assert.equal(run.snapshot().lastOutputAtMs, undefined);
  await run.signal('SIGKILL', 'somebody');
  const exit = await run.wait();
  assert.deepEqual([exit.reason, exit.signal, exit.actor], ['signal', 'SIGKILL', 'somebody']);
  assert.equal(supervisor.get(run.runId)?.lastOutputAtMs, undefined);
  assert.deepEqual(rig.events.all('output-heartbeat'), []);
});

test('the last output is the newest in the journal, whoever owns the run', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner();
  const script = 'echo one; read line; echo two; exec sleep 300';
  const { runId } = await owner.call('spawn', rig.sh(script, { runId: 'says', graceMs: 1_234 }));
  const looking = await rig.supervisor({ launcher: 'direct' });
  const run = await looking.attach(runIdOf(runId));
  const lastOf = (): number | undefined => looking.detail(run.snapshot()).lastOutputAtMs;
  await untilOutput(run, 'one');
  const first = lastOf();
  await run.write('go\n');
  await untilOutput(run, 'two');
  assert.ok(first !== undefined && first < (lastOf() ?? 0));
  const [, second] = await Array.fromAsync(run.outputSoFar());
  assert.equal(second?.kind === 'output' && second.atMs, lastOf());
  const { graceMs, outputBytes = 0, droppedBytes } = looking.detail(run.snapshot());
  assert.deepEqual([graceMs, outputBytes > 0, droppedBytes], [1_234, true, 0]);
  await run.cancel();
  await run.wait();
  await rig.until(() => looking.get(run.runId)?.exit !== undefined, 'its end is recorded');
  assert.equal(looking.get(run.runId)?.lastOutputAtMs, lastOf());
});

test('the start is when the shim started it, and is not after its end', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('exec sleep 300'));
  const { startedAtMs } = run.snapshot();
  await run.cancel();
  const exit = await run.wait();
  assert.equal(exit.startedAtMs, startedAtMs);
  assert.equal(run.snapshot().startedAtMs, startedAtMs);
});

test('T5: the abort signal of a handle follows what the shim reports', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh('exec sleep 300', { overallTimeoutMs: 100 }));
  const { ending } = run;
  await run.wait();
  assert.ok(ending.aborted);
  assert.equal((ending.reason as Error).name, 'TimeoutError');
});

/* A program of three lines that uses the library. */
async function runProgram(rig: Rig, source: string): Promise<string> {
  const program = `
    import { createSupervisor } from '@clawdfather/supervisor';
    const supervisor = await createSupervisor(${JSON.stringify({ stateDir: rig.stateDir, binaryPath, shimEnv: { [markVariable]: rig.mark } })});
    const input = ${JSON.stringify(rig.sh('sleep 0.1; exit 5', { runId: 'run' }))};
    ${source}`;
  const args = ['--conditions=@clawdfather/source', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
  });
  return stdout;
}

test('who waits stays alive, and who does not wait is not kept', async (t) => {
  const rig = createRig(t);
  const waiting =
    'process.stdout.write(String((await (await supervisor.spawn(input)).wait()).code));';
  assert.equal(await runProgram(rig, waiting), '5');
  // More than pipe and shim take: it is accepted when the command begins to read.
  const typing = `const late = { ...input, runId: 'typed', argv: ['sh', '-c', 'sleep 0.3; cat >/dev/null'] };
    const run = await supervisor.spawn(late);
    await run.write(Buffer.alloc(1_000_000));
    process.stdout.write('taken');
    await run.end();`;
  assert.equal(await runProgram(rig, typing), 'taken');
  const leaving = "await supervisor.spawn({ ...input, runId: 'left', argv: ['sleep', '300'] });";
  assert.equal(await runProgram(rig, leaving), '');
  const next = await rig.supervisor();
  const left = await next.attach(runIdOf('left'));
  assert.ok(isAlive(left.pid));
  await left.cancel();
  await left.wait();
});

test('S3: without spawnd a run outlives its owner too, and is left to an owner that adopts', async (t) => {
  const rig = createRig(t);
  const owner = await rig.owner({ launcher: 'direct' });
  const { runId, pid } = await owner.call('spawn', rig.sh('read line; echo "got $line"; exit 4'));
  const shim = seeProcess(pid)?.parentPid ?? 0;
  assert.notEqual(seeProcess(seeProcess(shim)?.parentPid ?? 0)?.comm, 'clf-spawnd');
  await owner.kill();
  const looking = await rig.supervisor({ launcher: 'direct' });
  assert.equal(looking.get(runIdOf(runId))?.epoch, 1, 'who only looks takes nothing');
  const run = await looking.attach(runIdOf(runId));
  await run.write('it\n');
  assert.equal((await run.wait()).code, 4);
  const [decision] = await looking.reconcile();
  assert.equal(decision?.decision, 'finalised');
  assert.equal(looking.get(runIdOf(runId))?.exit?.code, 4);
});
