/*
 * What was approved is what runs: behind the real gatekeeper, with real files that change between the request and the start.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import type { ExecParams, ExecResult, ProcessResult } from '@clawdfather/protocol';
import {
  type ApprovalStore,
  openApprovals,
  type RunId,
  type StoredApproval,
} from '@clawdfather/supervisor';
import { openToolsRig, type ToolsRig } from '../support/tools-rig.ts';

type Pending = Extract<ExecResult, { status: 'approval-pending' }>;
type Denied = Extract<ProcessResult, { action: 'poll'; status: 'denied' }>;

interface Script {
  readonly rig: ToolsRig;
  readonly directory: string;
  readonly file: string;
  readonly written: string;
  readonly write: (text: string) => void;
  readonly ask: (params?: ExecParams) => Promise<Pending>;
  /* Rows as they are stored. */
  readonly stored: () => Promise<readonly StoredApproval[]>;
}

/* A script that notes that it ran. What it notes shows which version of it that was. */
async function openScript(t: TestContext): Promise<Script> {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const directory = join(rig.scratchDir, 'place');
  mkdirSync(directory);
  const file = join(directory, 'script.sh');
  const written = join(rig.scratchDir, 'written');
  const write = (text: string): void => {
    writeFileSync(file, `#!/bin/sh\necho ${text} >> ${written}\n`);
    chmodSync(file, 0o755);
  };
  write('first');
  return {
    rig,
    directory,
    file,
    written,
    write,
    ask: async (params = { argv: ['./script.sh'], workdir: directory }) => {
      const held = await rig.exec(params);
      assert.ok(held.status === 'approval-pending', JSON.stringify(held));
      return held;
    },
    stored: () => withStore(rig, (store) => store.approvals({ limit: 20 }, momentOf(store))),
  };
}

async function withStore<Value>(
  rig: ToolsRig,
  use: (store: ApprovalStore) => Value,
): Promise<Value> {
  const store = await openApprovals({ stateDir: rig.stateDir });
  try {
    return use(store);
  } finally {
    await store.close();
  }
}

const momentOf = ({ host }: ApprovalStore) => ({
  bootId: host.bootId,
  bootMs: host.bootMs(),
  wallMs: 0,
});

async function pollDenied(rig: ToolsRig, runId: string): Promise<Denied> {
  const polled = await rig.process<'poll'>({ action: 'poll', runId, waitMs: 30_000 });
  assert.ok(polled.status === 'denied', JSON.stringify(polled));
  return polled;
}

test('A6: a script that changed after the request does not start; it is asked again, and then starts as it is', async (t) => {
  const { rig, written, write, ask, stored } = await openScript(t);
  const held = await ask();
  write('second');
  const polled = pollDenied(rig, held.runId);
  assert.equal((await rig.decide(held.approvalId, 'allow-once')).kind, 'decided');
  const { rule, by, cause, askedAgain } = await polled;
  assert.ok(askedAgain !== undefined);
  assert.equal(
    rule,
    `approval: script.sh has changed since it was asked for; asked again as ${askedAgain.approvalId}, run ${askedAgain.runId}`,
  );
  assert.deepEqual([by, cause], ['clawdfather', 'changed']);
  // Named by the beginning of its id it is found as well.
  assert.equal((await pollDenied(rig, held.runId.slice(0, -1))).cause, 'changed');
  assert.ok(!existsSync(written));
  assert.equal(rig.supervisor.get(held.runId as RunId), undefined);
  const [next, old] = await stored();
  assert.deepEqual(
    [old?.approvalId, old?.state, old?.changed, old?.askedAgainAs, old?.decidedBy],
    [held.approvalId, 'changed', 'script.sh has changed', next?.approvalId, 'cli:ann'],
  );
  assert.deepEqual([next?.state, next?.runId], ['pending', askedAgain.runId]);
  assert.equal(
    next?.why,
    `script.sh has changed since it was asked for as ${held.approvalId}, which cli:ann allowed`,
  );
  const waiting = await rig.process<'poll'>({ action: 'poll', runId: askedAgain.runId, waitMs: 0 });
  assert.ok(waiting.status === 'approval-pending');
  assert.equal(waiting.why, next.why, 'whoever asked is told why a person is asked again');
  await assert.rejects(rig.tools.startHeld(held), { code: 'approval-changed' });
  assert.equal((await rig.decide(held.approvalId, 'allow-once')).kind, 'over');
  // Whoever waited for the first waits for the second, without a poll.
  await rig.decide(askedAgain.approvalId, 'allow-once');
  await rig.until(() => existsSync(written), 'the new request was not started');
  assert.equal((await rig.untilEnded(askedAgain.runId)).status, 'completed');
  assert.equal(readFileSync(written, 'utf8'), 'second\n');
  assert.equal((await stored()).length, 2);
});

test('A6: content that is as it was is no difference, whatever happened to the file', async (t) => {
  const { rig, file, written, write, ask } = await openScript(t);
  const held = await ask();
  write('second');
  rmSync(file);
  write('first');
  await rig.decide(held.approvalId, 'allow-once');
  assert.equal((await rig.untilEnded(held.runId)).status, 'completed');
  assert.equal(readFileSync(written, 'utf8'), 'first\n');
});

test('A6: what vanished or appeared since is a difference, in a shell line too', async (t) => {
  const { rig, directory, file, written, ask } = await openScript(t);
  const gone = await ask({ command: 'cd place && sh script.sh', workdir: rig.scratchDir });
  rmSync(file);
  const appearing = await ask({ command: `sh later.sh >> ${written}`, workdir: directory });
  writeFileSync(join(directory, 'later.sh'), 'echo ran\n');
  for (const [held, what] of [
    [gone, /place\/script.sh has vanished/],
    [appearing, /later.sh has appeared/],
  ] as const) {
    await rig.decide(held.approvalId, 'allow-once');
    assert.match((await pollDenied(rig, held.runId)).rule, what);
  }
  assert.ok(!existsSync(written));
});

test('A6: another directory under the name is a difference, and a link to one', async (t) => {
  const { rig, directory, written, write, ask } = await openScript(t);
  const moved = await ask();
  const linked = await ask();
  const gone = await ask();
  renameSync(directory, `${directory}-before`);
  await rig.decide(gone.approvalId, 'allow-once');
  const vanished = await pollDenied(rig, gone.runId);
  assert.equal(
    vanished.rule,
    `approval: ${directory} has vanished since it was asked for; it was not asked again`,
  );
  assert.equal(vanished.askedAgain, undefined);
  mkdirSync(directory);
  write('first');
  await rig.decide(moved.approvalId, 'allow-once');
  const { rule, askedAgain } = await pollDenied(rig, moved.runId);
  assert.ok(rule.includes(`${directory} has become another directory`), rule);
  renameSync(directory, `${directory}-second`);
  symlinkSync(`${directory}-second`, directory);
  await rig.decide(linked.approvalId, 'allow-once');
  assert.match((await pollDenied(rig, linked.runId)).rule, /has become another directory/);
  assert.ok(!existsSync(written));
  // A link to the very directory that was approved is the directory.
  assert.ok(askedAgain !== undefined);
  await rig.decide(askedAgain.approvalId, 'allow-once');
  assert.equal((await rig.untilEnded(askedAgain.runId)).status, 'completed');
  assert.equal(readFileSync(written, 'utf8'), 'first\n');
});

test('A6: a directory that is replaced after the last look is not entered', async (t) => {
  const { rig, directory, written, write, ask } = await openScript(t);
  const held = await ask({ argv: ['./script.sh'], workdir: directory, pty: true });
  const swap = (): boolean => {
    renameSync(directory, `${directory}-before`);
    mkdirSync(directory);
    write('other');
    return true;
  };
  // Asked for between the look and the start.
  await rig.restart({ takesUp: false, canOpenTerminal: swap });
  await rig.decide(held.approvalId, 'allow-once');
  await assert.rejects(rig.tools.startHeld(held), { code: 'workdir-unusable' });
  const { exit } = rig.supervisor.get(held.runId as RunId) ?? {};
  assert.deepEqual([exit?.reason, exit?.failure?.stage], ['spawn-error', 'cwd']);
  assert.ok(!existsSync(written));
});

test('A6: however many try to start it, it is asked again once', async (t) => {
  const { rig, written, write, ask, stored } = await openScript(t);
  const held = await ask();
  // Nobody watches: the tools are opened again only below.
  await rig.restart({ takesUp: false });
  write('second');
  await rig.decide(held.approvalId, 'allow-once');
  const starts = await Promise.allSettled([1, 2, 3, 4].map(() => rig.tools.startHeld(held)));
  const codes = starts.map((one) => one.status === 'rejected' && one.reason.code);
  assert.deepEqual(codes, Array(4).fill('approval-changed'), 'each of them is told');
  await pollDenied(rig, held.runId);
  assert.deepEqual(
    (await stored()).map(({ state }) => state),
    ['pending', 'changed'],
  );
  assert.ok(!existsSync(written));
});

test('A6: two processes that look at once ask again once', async (t) => {
  const { rig, write, ask, stored } = await openScript(t);
  const held = await ask();
  await rig.restart({ takesUp: false });
  write('second');
  await rig.decide(held.approvalId, 'allow-once');
  const both = await Promise.all([1, 2].map(() => confirm(t, rig.stateDir, [held.approvalId])));
  assert.deepEqual(both, [0, 0]);
  assert.deepEqual(
    (await stored()).map(({ state }) => state),
    ['pending', 'changed'],
  );
});

for (const when of ['inside', 'after'] as const) {
  test(`A6: killed ${when} the write: there is one new request, and the next who looks goes on with it`, async (t) => {
    const { rig, written, write, ask, stored } = await openScript(t);
    const held = await ask();
    await rig.restart({ takesUp: false });
    write('second');
    await rig.decide(held.approvalId, 'allow-once');
    assert.equal(await confirm(t, rig.stateDir, [held.approvalId, when]), 'SIGKILL');
    const states = (await stored()).map(({ state }) => state);
    assert.deepEqual(states, when === 'inside' ? ['allowed'] : ['pending', 'changed']);
    await rig.restart({ takesUp: true });
    const { askedAgain } = await pollDenied(rig, held.runId);
    assert.ok(askedAgain !== undefined);
    assert.equal((await stored()).length, 2);
    await rig.decide(askedAgain.approvalId, 'allow-once');
    await rig.until(() => existsSync(written), 'the new request was not started');
    await rig.untilEnded(askedAgain.runId);
    assert.equal(readFileSync(written, 'utf8'), 'second\n');
  });
}

/* How it ended. */
async function confirm(
  t: TestContext,
  stateDir: string,
  args: readonly string[],
): Promise<number | string | null> {
  const program = new URL('../fixtures/confirm-and-die.ts', import.meta.url).pathname;
  const node = ['--conditions=@clawdfather/source', program, stateDir, ...args];
  const child = spawn(process.execPath, node, { stdio: 'inherit' });
  t.after(() => child.kill('SIGKILL'));
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal ?? code;
}

test('A5: whoever may not decide the first may not decide the second', async (t) => {
  const { rig, write, ask, stored } = await openScript(t);
  const held = await ask();
  const marks = '[{"credential":"token:1"}]';
  // As it is stored for a token; the process that starts it is another one, and has no marks.
  using db = new DatabaseSync(join(rig.stateDir, 'registry.db'));
  db.prepare('UPDATE approvals SET requester_marks = ?').run(marks);
  write('second');
  await rig.decide(held.approvalId, 'allow-once');
  await pollDenied(rig, held.runId);
  assert.deepEqual(
    (await stored()).map((row) => [row.requesterMarks, row.requester, row.account]),
    [
      [marks, 'test', 'account'],
      [marks, 'test', 'account'],
    ],
  );
});

test('A4: what it is bound to is covered by the hash', async (t) => {
  const { rig, written, ask } = await openScript(t);
  using db = new DatabaseSync(join(rig.stateDir, 'registry.db'));
  for (const change of [`replace(binding, '"bytes"', '"bytes" ')`, 'NULL']) {
    const held = await ask();
    db.exec(`UPDATE approval_bodies SET binding = ${change}`);
    const outcome = await rig.decide(held.approvalId, 'allow-once');
    assert.ok(outcome.kind === 'over' && outcome.record.state === 'denied', outcome.kind);
  }
  assert.ok(!existsSync(written));
});

test('S1: the same run asked for twice is one request, although its script changed in between', async (t) => {
  const { rig, directory, write, stored } = await openScript(t);
  const params = { argv: ['./script.sh'], workdir: directory };
  const first = await rig.exec(params, { runId: 'the-run' });
  write('second');
  const second = await rig.exec(params, { runId: 'the-run' });
  assert.ok(first.status === 'approval-pending' && second.status === 'approval-pending');
  assert.equal(first.approvalId, second.approvalId);
  const other = await rig.exec({ ...params, argv: ['./script.sh', 'x'] }, { runId: 'the-run' });
  assert.equal(other.status, 'denied');
  assert.equal((await stored()).length, 1);
});
