/*
 * Deciding: once, by somebody who may, with rules that last; between processes too.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { approvalLifetimeMs } from '@clawdfather/protocol';
import { openApprovals, type ProcessMark } from '@clawdfather/supervisor';
import { requesterMarksOf } from '../../src/approvals/requester.ts';
import { actionOf, openApprovalsRig, person, proposalOf } from './approvals-rig.ts';

const mark = (pid: number, parts: Partial<ProcessMark> = {}): ProcessMark => ({
  pid,
  startTicks: pid * 10,
  processGroupId: pid,
  kernelSessionId: pid,
  comm: 'x',
  ...parts,
});

test('A1: the first decision stands, and who comes second is told', async (t) => {
  const { gatekeeper, ask, decide } = await openApprovalsRig(t);
  const approvalId = await ask({ runId: 'run-1' });
  const first = await decide(approvalId, { by: 'cli:ann' });
  assert.equal(first.kind, 'decided');
  const second = await decide(approvalId, { by: 'cli:bob', decision: 'deny' });
  assert.ok(second.kind === 'over');
  assert.equal(second.record.state, 'allowed');
  assert.equal(second.record.decidedBy, 'cli:ann');
  assert.equal(gatekeeper.approvalOf('run-1')?.decision, 'allow-once');
});

test('a denial has its reason', async (t) => {
  const { gatekeeper, ask, decide } = await openApprovalsRig(t);
  const approvalId = await ask({ runId: 'run-1' });
  await decide(approvalId, { decision: 'deny', reason: 'not here' });
  const record = gatekeeper.approvalOf('run-1');
  assert.equal(record?.state, 'denied');
  assert.equal(record?.reason, 'not here');
});

test('what has expired cannot be allowed any more', async (t) => {
  const { ask, decide, time } = await openApprovalsRig(t);
  const approvalId = await ask();
  time.bootMs += approvalLifetimeMs;
  const outcome = await decide(approvalId);
  assert.ok(outcome.kind === 'over');
  assert.equal(outcome.record.state, 'expired');
  assert.equal((await decide('nobody-knows')).kind, 'unknown');
});

test('A1: of deciders racing in several processes exactly one decides', async (t) => {
  const { ask, stateDir, gatekeeper } = await openApprovalsRig(t);
  const program = new URL('../fixtures/decide.ts', import.meta.url).pathname;
  for (let round = 0; round < 3; round += 1) {
    const approvalId = await ask();
    const racers = ['ann', 'bob', 'eve'].map((by) => {
      const args = ['--conditions=@clawdfather/source', program, stateDir, approvalId, by];
      return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    });
    // All are ready before any is let go.
    await Promise.all(racers.map((racer) => once(racer.stdout, 'data')));
    const answers = racers.map(async (racer) => {
      racer.stdin.end('go\n');
      const [answer] = (await once(racer.stdout, 'data')) as [Buffer];
      await once(racer, 'close');
      return JSON.parse(answer.toString()) as { kind: string; by: string; decidedBy: string };
    });
    const told = await Promise.all(answers);
    const winners = told.filter(({ kind }) => kind === 'decided');
    assert.equal(winners.length, 1, JSON.stringify(told));
    const winner = winners[0]?.by;
    for (const { decidedBy } of told) assert.equal(decidedBy, winner);
    assert.equal(gatekeeper.approval(approvalId)?.decidedBy, winner);
  }
});

test('allowing for ever stores the programs, and only for this account', async (t) => {
  const { gatekeeper, ask, decide } = await openApprovalsRig(t);
  const touch = actionOf({
    command: { kind: 'line', shell: '/bin/sh', line: 'sleep 0 | touch x' },
  });
  const outcome = await decide(await ask({ action: touch }), { decision: 'allow-always' });
  assert.ok(outcome.kind === 'decided');
  assert.deepEqual(
    outcome.rules.map(({ namedPath, realPath, addedBy }) => [namedPath, realPath, addedBy]),
    [['/usr/bin/touch', '/usr/bin/touch', 'cli:ann']],
  );
  const again = proposalOf({ action: touch, runId: 'run-2' });
  assert.equal((await gatekeeper.check(again)).kind, 'allowed');
  const other = { ...again, runId: 'run-3', action: { ...touch, account: 'other' } };
  assert.equal((await gatekeeper.check(other)).kind, 'held');
});

test('what no rule could cover is not allowed for ever, and stays undecided', async (t) => {
  const { gatekeeper, ask, decide } = await openApprovalsRig(t);
  const lines = ['ls > x', 'eval ls', '$x', 'no-such-program-anywhere || ls'];
  for (const [index, line] of lines.entries()) {
    const runId = `run-${index}`;
    const action = actionOf({ command: { kind: 'line', shell: '/bin/sh', line } });
    const approvalId = await ask({ action, runId });
    const outcome = await decide(approvalId, { decision: 'allow-always' });
    assert.equal(outcome.kind, 'not-for-ever', line);
    assert.equal(gatekeeper.approvalOf(runId)?.state, 'pending');
  }
});

test('a program of the starter list is not let out of the working tree for ever', async (t) => {
  const { gatekeeper, decide } = await openApprovalsRig(t);
  const action = actionOf({ command: { kind: 'argv', argv: ['cat', '/srv/x'] } });
  const verdict = await gatekeeper.check(proposalOf({ action, stricter: { ask: 'always' } }));
  assert.ok(verdict.kind === 'held');
  assert.match(gatekeeper.approvalOf('run-1')?.why ?? '', /mcp:test wants a decision/);
  const outcome = await decide(verdict.approvalId, { decision: 'allow-always' });
  assert.ok(outcome.kind === 'not-for-ever');
  assert.match(outcome.why, /\/usr\/bin\/cat is asked about each time/);
  assert.equal((await decide(verdict.approvalId)).kind, 'decided');
});

test('WD1: a descendant of the agent may not decide, and a later process of the same pid may', async (t) => {
  const { gatekeeperWith, decide } = await openApprovalsRig(t);
  const agent = mark(500);
  const gatekeeper = gatekeeperWith({ requesterMarks: [agent] });
  const verdict = await gatekeeper.check(proposalOf());
  assert.ok(verdict.kind === 'held');
  const shell = mark(600, { kernelSessionId: 600 });
  const lineage = [mark(601, { kernelSessionId: 600 }), shell, agent, ...person.lineage];
  const outcome = await decide(verdict.approvalId, { decider: { lineage, isAtTerminal: true } });
  assert.ok(outcome.kind === 'refused');
  assert.match(outcome.why, /belongs to mcp:test/);
  assert.equal(gatekeeper.approvalOf('run-1')?.state, 'pending');
  const reused = [mark(601, { kernelSessionId: 600 }), shell, { ...agent, startTicks: 1 }];
  const later = await decide(verdict.approvalId, {
    decider: { lineage: reused, isAtTerminal: true },
  });
  assert.equal(later.kind, 'decided');
});

test('WD2, WD3: nor may whoever is inside a run, without a terminal, or cut off from one', async (t) => {
  const { ask, decide } = await openApprovalsRig(t);
  const approvalId = await ask();
  const shell = mark(600);
  const inside = [
    mark(601, { kernelSessionId: 600 }),
    shell,
    mark(500, { comm: 'clawdfather-shi' }),
  ];
  const deciders = [
    { lineage: inside, isAtTerminal: true },
    { lineage: [mark(601, { kernelSessionId: 600 }), shell], isAtTerminal: false },
    { lineage: [mark(601, { kernelSessionId: 600 }), mark(1)], isAtTerminal: true },
    { lineage: [], isAtTerminal: true },
  ];
  for (const decider of deciders) {
    assert.equal((await decide(approvalId, { decider })).kind, 'refused');
  }
  assert.equal((await decide(approvalId)).kind, 'decided');
});

test('the agent is the parent of who asks, and the wrappers of its group', () => {
  const pids = (lineage: readonly ProcessMark[]) => requesterMarksOf(lineage).map(({ pid }) => pid);
  const group = { processGroupId: 50 };
  const init = mark(1);
  const shell = mark(40);
  // A person's shell put the agent into a group of its own; npx and sh stand between it and the server.
  const wrapped = [mark(53, group), mark(52, group), mark(51, group), mark(50, group), shell, init];
  assert.deepEqual(pids(wrapped), [53, 52, 51, 50]);
  assert.deepEqual(pids([mark(53), mark(50), shell, init]), [53, 50]);
  assert.deepEqual(pids([mark(53), init]), [53]);
  assert.deepEqual(pids([]), []);
});

test('waiting ends with a decision of another process, with the time, or with the signal', async (t) => {
  const { gatekeeper, ask, decide, stateDir, time } = await openApprovalsRig(t);
  const { signal } = new AbortController();
  const approvalId = await ask();
  const waiting = gatekeeper.settled(approvalId, signal);
  const elsewhere = await openApprovals({ stateDir });
  await elsewhere.write((tx) =>
    tx.changeApproval(approvalId, 'pending', { state: 'denied', decidedBy: 'bob' }),
  );
  await elsewhere.close();
  assert.equal((await waiting).decidedBy, 'bob');
  assert.equal((await gatekeeper.settled(approvalId, signal)).state, 'denied');

  const lapsing = await ask();
  time.bootMs += approvalLifetimeMs - 20;
  const expired = gatekeeper.settled(lapsing, signal);
  time.bootMs += 20;
  assert.equal((await expired).state, 'expired');

  const abort = new AbortController();
  const aborted = gatekeeper.settled(await ask(), abort.signal);
  abort.abort(new Error('enough'));
  await assert.rejects(aborted, /enough/);
  await assert.rejects(gatekeeper.settled('nobody-knows', signal), RangeError);
  await decide(await ask());
});
