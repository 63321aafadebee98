/*
 * What a turn is told when its agent is lost: by itself, with a restart of its gateway, or after one that it had survived. The code and
 * the cause follow from what was seen, and stay.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import {
  endTurn,
  exitWith,
  expectInitialize,
  expectNew,
  gate,
  onPrompt,
  openGate,
  respondError,
  say,
  script,
  stderr,
  type Steps,
} from '@clawdfather/testkit';
import { ThreadsRig } from './support/threads-rig.ts';

function rigOf(t: TestContext, turn: readonly Steps[]): ThreadsRig {
  return new ThreadsRig(t, script([expectInitialize(), expectNew(), onPrompt(turn)]));
}

async function endOf(rig: ThreadsRig, id: string, turnId: string) {
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  const { status, result } = rig.database.threads.get(id)!.turns.get(turnId)!;
  return { status, ...result! };
}

test('an agent that is killed before the eyes of its gateway is an error with the cause', async (t) => {
  const rig = rigOf(t, [say('one'), gate('never')]);
  const { threads } = await rig.gateway();
  const { id, turnId } = await rig.ask(threads, 'hello');
  await rig.until('it speaks', () => rig.text(id) === 'one');
  process.kill(rig.lease(id)!.process!.rootPid, 'SIGKILL');
  const { status, code, cause } = await endOf(rig, id, turnId);
  assert.deepEqual([status, code, cause], ['interrupted', 'error', 'signal']);
});

test('recovery 4a: one that gives up before its first word has failed, with what it wrote last', async (t) => {
  const rig = rigOf(t, [
    stderr('warning\n\u001b[31mno quota for key sk-live-aaaabbbbcccc\u001b[0m\n'),
    exitWith(3),
  ]);
  const { threads } = await rig.gateway();
  const { id, turnId } = await rig.ask(threads, 'hello');
  const { status, code, message } = await endOf(rig, id, turnId);
  assert.deepEqual([status, code], ['failed', 'error']);
  assert.equal(message, 'the agent ended with code 3: no quota for key (hidden)');
});

test('recovery 4a: an error of the provider fails the turn at once, and the agent goes on', async (t) => {
  const rig = rigOf(t, [respondError(-32603, 'overloaded\u001b[0m\nrequest-id 1'), gate('never')]);
  const { threads } = await rig.gateway();
  const { id, turnId } = await rig.ask(threads, 'hello');
  const { status, code, message } = await endOf(rig, id, turnId);
  assert.deepEqual([status, code, message], ['failed', 'error', 'overloaded request-id 1']);
  assert.equal(rig.lease(id)?.state, 'open');
});

test('recovery 2: what is lost while no gateway is alive is a restart, with the cause', async (t) => {
  const rig = rigOf(t, [say('one'), gate('never')]);
  const first = await rig.gateway();
  const { id, turnId } = await rig.ask(first.threads, 'hello');
  await rig.until('it speaks', () => rig.text(id) === 'one');
  const { runId, process: agent } = rig.lease(id)!;
  await first.lose();
  process.kill(agent!.rootPid, 'SIGKILL');
  const next = await rig.gateway();
  await (await next.supervisor.attach(runId)).wait();
  await next.threads.takeUp();
  const { status, code, cause } = await endOf(rig, id, turnId);
  assert.deepEqual([status, code, cause], ['interrupted', 'ACP_BRIDGE_RESTART', 'signal']);
});

test('recovery 2: an agent that has survived a restart and dies later is no matter of the restart', async (t) => {
  const rig = rigOf(t, [say('one'), gate('more'), say('two'), gate('never')]);
  const first = await rig.gateway();
  const { id, turnId } = await rig.ask(first.threads, 'hello');
  await rig.until('it speaks', () => rig.text(id) === 'one');
  const { rootPid } = rig.lease(id)!.process!;
  await first.lose();
  const next = await rig.gateway();
  await next.threads.takeUp();
  openGate(rig.gates, 'more').release();
  await rig.until('the same turn goes on', () => rig.text(id) === 'onetwo');
  process.kill(rootPid, 'SIGKILL');
  const { status, code, cause } = await endOf(rig, id, turnId);
  assert.deepEqual([status, code, cause], ['interrupted', 'error', 'signal']);
});

test('recovery 2: what was finished while no gateway was alive is finished', async (t) => {
  const rig = rigOf(t, [say('one'), gate('more'), say('two'), endTurn(), exitWith(0)]);
  const first = await rig.gateway();
  const { id, turnId } = await rig.ask(first.threads, 'hello');
  await rig.until('it speaks', () => rig.text(id) === 'one');
  const { runId } = rig.lease(id)!;
  await first.lose();
  openGate(rig.gates, 'more').release();
  const next = await rig.gateway();
  await (await next.supervisor.attach(runId)).wait();
  await next.threads.takeUp();
  const { status, code } = await endOf(rig, id, turnId);
  assert.deepEqual([status, code, rig.text(id)], ['completed', 'success', 'onetwo']);
});

test('recovery 2: one that was never on record as started, and whose machine was restarted: another is started', async (t) => {
  const rig = rigOf(t, [say('one'), endTurn()]);
  const first = await rig.gateway({ lostAt: 'after-spawn' });
  const { id, turnId } = await rig.ask(first.threads, 'hello');
  await rig.until('it is lost', () => first.hasStopped());
  const { runId } = rig.lease(id)!;
  const run = await first.supervisor.attach(runId);
  await run.cancel();
  await run.waitTree();
  await first.lose();
  // As after a crash of the machine: the record of the intent, of another boot, and nothing on the disk.
  using registry = new DatabaseSync(join(rig.stateDir, 'registry.db'), { timeout: 5_000 });
  const facts = `pid = NULL, shim_pid = NULL, started_at_ms = NULL, ended_at_ms = NULL, tree_ended_at_ms = NULL,
    exit = NULL, exit_reason = NULL, journal_bytes = NULL, boot_id = 'the boot before', state = 0`;
  registry.exec(`UPDATE runs SET ${facts}`);
  rmSync(join(rig.stateDir, 'runs', runId), { recursive: true });
  const next = await rig.gateway();
  assert.equal(next.supervisor.get(runId)?.exit?.reason, 'host-rebooted');
  await next.threads.takeUp();
  const { status, code } = await endOf(rig, id, turnId);
  assert.deepEqual([status, code, rig.text(id)], ['completed', 'success', 'one']);
});
