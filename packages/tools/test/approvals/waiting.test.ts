/*
 * How much may wait, whose it is, and what remains of it: an agent that asks in a loop takes room from its own account alone.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { approvalLifetimeMs } from '@clawdfather/protocol';
import { waitingBytesMax, waitingMax } from '../../src/approvals/approval-limits.ts';
import { cutCommand } from '../../src/approvals/shown-command.ts';
import { actionOf, openApprovalsRig, proposalOf } from './approvals-rig.ts';

const of = (account: string, runId: string, stdin = '') =>
  proposalOf({ action: actionOf({ account, stdin }), runId, request: JSON.stringify({ stdin }) });

test('1,008 requests that were taken back do not hide an older one that waits', async (t) => {
  const { gatekeeper, ask } = await openApprovalsRig(t);
  const oldest = await ask({ runId: 'oldest' });
  for (let count = 0; count < 1_008; count += 1) await gatekeeper.withdraw(await ask(), 'mcp:test');
  const pending = { states: ['pending'] } as const;
  const ids = gatekeeper.list({ ...pending, limit: 20 }).map(({ approvalId }) => approvalId);
  assert.deepEqual(ids, [oldest]);
  assert.equal(gatekeeper.count(pending), 1);
  const found = gatekeeper.list({ ...pending, accounts: ['local'], runIdPrefix: 'old', limit: 2 });
  assert.equal(found.length, 1);
  const kept = gatekeeper.count({ states: ['denied'] });
  assert.equal(kept, 1_001, 'when it asked last, 1,000 others were kept');
});

test('places and bytes are an account’s own, and asking again for what waits takes none', async (t) => {
  const { gatekeeper } = await openApprovalsRig(t);
  for (let count = 0; count < waitingMax; count += 1) {
    assert.equal((await gatekeeper.check(of('one', `one-${count}`))).kind, 'held');
  }
  const beyond = await gatekeeper.check(of('one', 'one-more'));
  assert.ok(beyond.kind === 'denied');
  assert.equal(beyond.rule, 'approvals: 64 are waiting already');
  const again = await gatekeeper.check(of('one', 'one-0'));
  assert.equal(again.kind, 'held', 'S1: it is the same run');
  assert.equal((await gatekeeper.check(of('two', 'two-0'))).kind, 'held');

  const stdin = 'x'.repeat(200_000);
  let waiting = 0;
  for (;;) {
    const verdict = await gatekeeper.check(of('three', `three-${waiting}`, stdin));
    if (verdict.kind === 'denied') {
      assert.match(verdict.rule, /more than 4 MiB; put the input into a file, or wait/);
      break;
    }
    waiting += 1;
  }
  assert.equal(waiting, Math.floor(waitingBytesMax / 400_000));
  const small = await gatekeeper.check(of('two', 'two-1', stdin));
  assert.equal(small.kind, 'held', 'another account has its own bytes');
  for (const { approvalId } of gatekeeper.list({ accounts: ['three'], limit: 1 })) {
    await gatekeeper.withdraw(approvalId, 'mcp:test');
  }
  const room = await gatekeeper.check(of('three', 'three-again', stdin));
  assert.equal(room.kind, 'held', 'what is over makes room');
});

test('what is over has lost its input, says so, and does not read as changed', async (t) => {
  const { gatekeeper, ask, decide, time, stateDir } = await openApprovalsRig(t);
  const action = actionOf({ stdin: 'secret', envAdditions: { A: 'b' } });
  const denied = await ask({ action });
  await decide(denied, { decision: 'deny' });
  const withdrawn = await ask({ action });
  await gatekeeper.withdraw(withdrawn, 'mcp:test');
  const expired = await ask({ action, runId: 'expired' });
  time.bootMs += approvalLifetimeMs;
  const { stdin: _stdin, ...rest } = { ...action, envAdditions: {} };
  const lapsed = gatekeeper.wholeApproval(expired);
  assert.deepEqual([lapsed?.state, lapsed?.action], ['expired', rest], 'not written down yet');
  await gatekeeper.settleLapsed();
  for (const [id, state] of [
    [denied, 'denied'],
    [withdrawn, 'denied'],
    [expired, 'expired'],
  ] as const) {
    const record = gatekeeper.wholeApproval(id);
    assert.deepEqual([record?.state, record?.action, record?.request], [state, rest, undefined]);
    assert.ok((record?.droppedBytes ?? 0) > 0);
    assert.match(record?.why ?? '', /not on the allowlist/);
  }
  const db = new DatabaseSync(`${stateDir}/registry.db`);
  const { count } = db.prepare('SELECT count(*) AS count FROM approval_bodies').get() ?? {};
  // One that is over is not brought back by whoever changes its state.
  db.exec('UPDATE approvals SET state = 1, lapses_boot_ms = 1e15');
  db.close();
  assert.equal(count, 0);
  assert.equal(gatekeeper.wholeApproval(withdrawn)?.state, 'denied');
});

test('no list, count or look-up reads a request, and what is asked for is bounded where it is listed', async (t) => {
  const { store, gatekeeperWith } = await openApprovalsRig(t);
  let bodies = 0;
  const counted = {
    ...store,
    approvalBody: (id: string) => {
      bodies += 1;
      return store.approvalBody(id);
    },
  };
  const gatekeeper = gatekeeperWith({ store: counted });
  const words = Array.from({ length: 2_000 }, () => 'word'.repeat(4));
  const action = actionOf({
    command: { kind: 'argv', argv: ['/usr/bin/touch', ...words] },
    cwd: `/${'d'.repeat(9_000)}`,
    // Its directory is not looked at here.
    runAs: 'member',
  });
  const requester = 'r'.repeat(9_000);
  const held = await gatekeeper.check(proposalOf({ action, requester }));
  assert.ok(held.kind === 'held', JSON.stringify(held));
  gatekeeper.approvalOf('run-1');
  gatekeeper.count({ states: ['pending'] });
  const [listed] = gatekeeper.list({ states: ['pending'], limit: 10 });
  const aborted = AbortSignal.abort();
  await assert.rejects(gatekeeper.settled(held.approvalId, aborted));
  assert.equal(bodies, 0);
  assert.ok(JSON.stringify(listed).length < 12_000, `${JSON.stringify(listed).length}`);
  assert.deepEqual(gatekeeper.wholeApproval(held.approvalId)?.action, action, 'shown whole');
  assert.equal(bodies, 1);
});

test('a command is cut with a mark, whatever it is made of', () => {
  const long = 'x'.repeat(5_000);
  assert.deepEqual(cutCommand({ kind: 'line', shell: 's', line: long }), {
    kind: 'line',
    shell: 's',
    line: `${'x'.repeat(4_095)}…`,
  });
  const many = cutCommand({ kind: 'argv', argv: ['a', ...Array<string>(9_999).fill('')] });
  assert.ok(many.kind === 'argv' && many.argv.length < 4_200 && many.argv.at(-1) === '…');
  const whole = { kind: 'argv', argv: ['ls', '', '-l'] } as const;
  assert.deepEqual(cutCommand(whole), whole);
});
