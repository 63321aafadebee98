/*
 * `clf approvals`, `clf allow` and `clf deny` as real processes, over what an agent asked for.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { openApprovals, readLineage } from '@clawdfather/supervisor';
import { ask, decideAt, lines, skip, told } from '../support/asking-agent.ts';
import { createCliRig, launcherPath } from '../support/cli-process.ts';

test('no number of decided ones hides what waits, and a request of another account says so', async (t) => {
  const rig = createCliRig(t);
  const { approvalId } = await ask(rig);
  const store = await openApprovals({ stateDir: rig.stateDir });
  const now = { bootId: store.host.bootId, bootMs: 0, wallMs: 0 };
  await store.write((tx) => {
    const stored = tx.approval(approvalId, now);
    const body = tx.approvalBody(approvalId);
    assert.ok(stored !== undefined && body !== undefined);
    for (let index = 0; index < 1_008; index += 1) {
      const id = `over-${index}`;
      tx.insertApproval({ ...stored, approvalId: id, runId: id, account: 'member', body });
      tx.changeApproval(id, 'pending', { state: 'denied' });
    }
  });
  await store.close();
  for (const flags of [[], ['-a']]) {
    const { stdout } = await rig.clf('approvals', ...flags, '--json');
    assert.equal(lines(stdout).at(-1)?.['id'], approvalId);
  }
  const waiting = await rig.clf('approvals');
  assert.doesNotMatch(waiting.stdout, /another account/);
  const all = await rig.clf('approvals', '-a');
  assert.match(all.stdout, /asked for by another account: member/);
  assert.match(all.stdout, /the command is kept, and no environment or input\. All in /);
});

test('what waits is listed whole, with who asked, where and why', { skip }, async (t) => {
  const rig = createCliRig(t);
  const empty = await rig.clf('approvals');
  assert.ok(empty.stdout.includes(`Nothing waits for you in ${rig.stateDir}.`), empty.stdout);
  const { approvalId, runId, made } = await ask(rig);
  const listed = await rig.clf('approvals');
  assert.equal(listed.code, 0);
  assert.match(listed.stdout, new RegExp(approvalId.slice(0, 12)));
  assert.ok(listed.stdout.includes(`touch ${made}`));
  assert.match(listed.stdout, /mcp:test/);
  assert.match(listed.stdout, /touch is not on the allowlist/);
  assert.ok(listed.stdout.includes(`All in ${rig.stateDir}\n`), listed.stdout);
  const [json] = lines((await rig.clf('approvals', '--json')).stdout);
  assert.equal(json?.['id'], approvalId);
  assert.equal(json?.['runId'], runId);
  assert.equal(json?.['state'], 'pending');
  assert.equal(json?.['stateDir'], rig.stateDir);
  assert.deepEqual(json?.['argv'], ['touch', made]);
  assert.ok(!existsSync(made));
});

test('what an agent hides in a command is shown', { skip }, async (t) => {
  const rig = createCliRig(t);
  await ask(rig, { command: 'rm a\u202etxt.b \u001b[2K; echo ok' });
  const { stdout } = await rig.clf('approvals');
  assert.ok(stdout.includes(String.raw`rm a\u202etxt.b \x1b[2K; echo ok`), stdout);
});

test('allowing starts it at once, and once', { skip }, async (t) => {
  const rig = createCliRig(t);
  const { approvalId, runId, made } = await ask(rig);
  const allowed = await decideAt(rig, 'allow', approvalId.slice(0, 5));
  assert.equal(allowed.code, 0, allowed.text);
  assert.match(allowed.text, new RegExp(`started ${runId}`));
  assert.equal((await rig.clf('wait', runId)).code, 0);
  assert.ok(existsSync(made));
  const again = await decideAt(rig, 'allow', approvalId);
  assert.equal(again.code, 125);
  assert.match(again.text, /allowed by cli:.*started as run/);
  const denied = await decideAt(rig, 'deny', approvalId);
  assert.match(denied.text, /approval-decided/);
});

test('what was asked for at a gateway is allowed here and started there, as whom it knows alone', {
  skip,
}, async (t) => {
  const rig = createCliRig(t);
  const { approvalId, runId, made } = await ask(rig, { account: '0123456789abcdef' });
  const allowed = await decideAt(rig, 'allow', approvalId);
  assert.equal(allowed.code, 0, allowed.text);
  // None runs, so nothing starts yet, and it stays on the list until one does.
  assert.match(
    allowed.text,
    new RegExp(
      `allowed; it starts when the gateway runs again \\(clf serve\\), within 30m.* ${runId}: touch`,
    ),
  );
  const [json] = lines((await rig.clf('approvals', '--json')).stdout);
  assert.deepEqual([json?.['state'], existsSync(made)], ['allowed', false]);
  const { stdout } = await rig.clf('approvals');
  assert.match(stdout, / allowed +mcp:test[^]*allowed by cli:.* (ago|just now), not started yet/);
});

test('denying tells why, and the run never starts', { skip }, async (t) => {
  const rig = createCliRig(t);
  const { approvalId, runId, made } = await ask(rig);
  const denied = await decideAt(rig, 'deny', '--reason', 'not today', approvalId);
  assert.equal(denied.code, 0, denied.text);
  assert.match(denied.text, /denied by cli:.*not today/);
  const [json] = lines((await rig.clf('approvals', '-a', '--json')).stdout);
  assert.equal(json?.['state'], 'denied');
  assert.equal(json?.['reason'], 'not today');
  const allowed = await decideAt(rig, 'allow', approvalId);
  assert.equal(allowed.code, 125);
  assert.equal((await rig.clf('logs', runId)).code, 125);
  assert.ok(!existsSync(made));
});

test('allowing for ever says what is allowed, and the next time nobody is asked', {
  skip,
}, async (t) => {
  const rig = createCliRig(t);
  const { approvalId } = await ask(rig);
  const allowed = await decideAt(rig, 'allow', '--always', approvalId);
  assert.equal(allowed.code, 0, allowed.text);
  assert.match(
    allowed.text,
    /from now on \/usr\/bin\/touch .*runs unasked, whatever its arguments/,
  );
  await assert.rejects(ask(rig), /'completed'|completed/);
});

test('what was allowed for ever is listed, and revoked at a terminal; then it is asked about again', {
  skip,
}, async (t) => {
  const rig = createCliRig(t);
  const none = await rig.clf('rules');
  assert.ok(none.stdout.includes(`No program was allowed for ever in ${rig.stateDir}`));
  const { approvalId } = await ask(rig);
  await decideAt(rig, 'allow', '--always', approvalId);
  await assert.rejects(ask(rig), /completed/);
  const listed = await rig.clf('rules', 'ls');
  assert.match(listed.stdout, new RegExp(`${approvalId.slice(0, 12)} +1 .* /usr/bin/touch\n$`));
  const [rule] = lines((await rig.clf('rules', '--json')).stdout);
  const id = String(rule?.['id']);
  assert.deepEqual(
    [rule?.['program'], rule?.['approvalId'], rule?.['uses'], rule?.['runsAnything']],
    ['/usr/bin/touch', approvalId, 1, false],
  );
  assert.match(String(rule?.['addedBy']), /^cli:/);
  const completed = await rig.clf('__complete', '--', 'rules', 'rm', '');
  assert.equal(completed.stdout, `words\n${id}\t/usr/bin/touch\n`);

  const none2 = await told(rig, [process.execPath, launcherPath, 'rules', 'rm', id]);
  assert.equal(none2.code, 125);
  assert.match(none2.text, /you may not revoke this: .*no terminal[^]*approval-refused/);
  const typo = await rig.clf('rules', 'rm', `${id.slice(0, 8)}l`);
  assert.match(
    typo.stderr,
    new RegExp(`no rule has the id or program[^]*Did you mean ${id.slice(0, 9)}`),
  );
  assert.match((await rig.clf('rules', 'rm', 'llllllll')).stderr, /All of them: clf rules/);
  // One bad id among several changes nothing.
  assert.equal((await decideAt(rig, 'rules', 'rm', id, 'nothing')).code, 125);
  assert.equal(lines((await rig.clf('rules', '--json')).stdout).length, 1);

  const revoked = await decideAt(rig, 'rules', 'rm', id.slice(0, 6));
  assert.equal(revoked.code, 0, revoked.text);
  assert.match(revoked.text, /is revoked: \/usr\/bin\/touch is asked about again/);
  await ask(rig);
  assert.equal((await rig.clf('rules', '--json')).stdout, '');
  assert.match(
    (await rig.clf('rules', '-a')).stdout,
    /\/usr\/bin\/touch \(revoked by cli:.* (ago|just now)\)/,
  );
  const again = await decideAt(rig, 'rules', 'rm', id);
  assert.match(again.text, /has revoked it at [^]*rule-revoked/);
});

test('what no rule could cover is not allowed for ever', { skip }, async (t) => {
  const rig = createCliRig(t);
  const { approvalId } = await ask(rig, { command: 'ls > out' });
  const allowed = await decideAt(rig, 'allow', '--always', approvalId);
  assert.equal(allowed.code, 125);
  assert.match(allowed.text, /it writes to out/);
  assert.match(allowed.text, /approval-not-for-ever/);
  const [json] = lines((await rig.clf('approvals', '--json')).stdout);
  assert.equal(json?.['state'], 'pending');
});

test('an unknown approval gets the nearest one suggested', { skip }, async (t) => {
  const rig = createCliRig(t);
  const { approvalId } = await ask(rig);
  const typo = `${approvalId.slice(0, 8)}${approvalId[8] === 'x' ? 'y' : 'x'}${approvalId.slice(9)}`;
  const { stderr, code } = await rig.clf('allow', typo);
  assert.equal(code, 125);
  assert.match(stderr, new RegExp(`Did you mean ${approvalId}`));
});

test('WD1: whoever the agent started cannot decide', { skip }, async (t) => {
  const rig = createCliRig(t);
  const [self] = readLineage(process.pid);
  assert.ok(self !== undefined);
  // This process is the agent, so the command it starts is one of its own, with a terminal and without.
  const { approvalId, made } = await ask(rig, { requesterMarks: [self] });
  for (const answer of [
    await decideAt(rig, 'allow', approvalId),
    await decideAt(rig, 'deny', approvalId),
  ]) {
    assert.equal(answer.code, 125);
    assert.match(answer.text, /belongs to mcp:test/);
    assert.match(answer.text, /approval-refused/);
  }
  const json = await rig.clf('allow', '--json', approvalId);
  assert.match(json.stderr, /"approval-refused"/);
  assert.ok(!existsSync(made));
});

test('WD2: nor can a run, whoever started it, at a terminal, however it forks', {
  skip,
}, async (t) => {
  const rig = createCliRig(t);
  const { approvalId, made } = await ask(rig);
  const clf = `'${process.execPath}' --conditions=@clawdfather/source '${launcherPath}' allow ${approvalId}`;
  const inside = await rig.clf('run', '--pty', '--', 'sh', '-c', clf);
  assert.equal(inside.code, 125);
  assert.match(inside.stdout, /is inside a run/);
  // Its parent goes, its session is another one.
  const forked = `(setsid sh -c "${clf}" 2>&1 &)`;
  const detached = await rig.clf(
    'run',
    '--leftovers',
    'keep',
    '--detach',
    '--',
    'sh',
    '-c',
    forked,
  );
  assert.equal(detached.code, 0, detached.stderr);
  const runId = detached.stdout.trim();
  // Who follows it from before its end leaves with it; who comes after it hears what it has left.
  await rig.clf('wait', runId);
  await rig.start({}, 'logs', '-f', runId).saw('is inside a run');
  assert.ok(!existsSync(made));
});

test('WD3: nor can whoever has no terminal, or has left the one it came from', {
  skip,
}, async (t) => {
  const rig = createCliRig(t);
  const { approvalId, made } = await ask(rig);
  const none = await told(rig, [process.execPath, launcherPath, 'allow', approvalId]);
  assert.equal(none.code, 125);
  assert.match(none.text, /has no terminal/);
  assert.match(none.text, /approval-refused/);
  assert.ok(!existsSync(made));
});

test('a decision that nobody carried out is carried out by the next who looks', {
  skip,
}, async (t) => {
  const rig = createCliRig(t);
  const { approvalId, runId, made } = await ask(rig);
  await crashAfterDeciding(t, rig.stateDir, approvalId);
  const stored = await openApprovals({ stateDir: rig.stateDir });
  const now = { bootId: stored.host.bootId, bootMs: 0, wallMs: 0 };
  assert.equal(stored.approval(approvalId, now)?.state, 'allowed');
  await stored.close();
  assert.ok(!existsSync(made));
  // The next agent's tools take up what was left, whatever it asks for itself.
  await ask(rig, { staysFor: made });
  assert.equal((await rig.clf('wait', runId)).code, 0);
});

/* A decider that is killed between its decision and the start. */
async function crashAfterDeciding(
  t: TestContext,
  stateDir: string,
  approvalId: string,
): Promise<void> {
  const program = new URL('../fixtures/decide-and-die.ts', import.meta.url).pathname;
  const args = ['--conditions=@clawdfather/source', program, stateDir, approvalId];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  t.after(() => child.kill('SIGKILL'));
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}
