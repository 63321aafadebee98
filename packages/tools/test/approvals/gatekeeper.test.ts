/*
 * What the gatekeeper answers, what it stores, and how its reading changes with time and damage.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { approvalLifetimeMs } from '@clawdfather/protocol';
import { hashAction } from '../../src/approvals/action-hash.ts';
import { actionOf, openApprovalsRig, proposalOf } from './approvals-rig.ts';

const line = (text: string, shell = '/bin/sh') =>
  actionOf({ command: { kind: 'line', shell, line: text } });

test('programs that only read run unasked, others are held, with what is missing', async (t) => {
  const { gatekeeper } = await openApprovalsRig(t);
  const listed = await gatekeeper.check(proposalOf({ action: line('ls -l | wc -l') }));
  assert.ok(listed.kind === 'allowed');
  assert.equal(listed.rule, 'allowlist: /usr/bin/ls, /usr/bin/wc');
  const trees = listed.confine?.grants.filter(({ isOptional }) => !isOptional);
  assert.deepEqual(trees, [{ path: '/tmp', access: 'read', isOptional: false }]);
  const verdict = await gatekeeper.check(proposalOf({ action: line('ls; touch x') }));
  assert.equal(verdict.kind, 'held');
  const held = gatekeeper.approvalOf('run-1');
  assert.deepEqual([held?.state, held?.command], ['pending', line('ls; touch x').command]);
  const record = gatekeeper.wholeApproval(held?.approvalId ?? '');
  assert.match(record?.why ?? '', /touch is not on the allowlist/);
  assert.deepEqual(record?.action, line('ls; touch x'));
  assert.equal(gatekeeper.count({ states: ['pending'] }), 1);
});

test('nothing is looked at for what runs unasked; what is held is bound to what is there', async (t) => {
  const { gatekeeper, gatekeeperWith } = await openApprovalsRig(t);
  const full = gatekeeperWith({ policy: { security: 'full', ask: 'off' } });
  const action = actionOf({ cwd: '/nowhere' });
  assert.equal((await full.check(proposalOf({ action }))).kind, 'allowed');
  const reads = line('echo /usr/bin/touch');
  assert.equal(
    (await gatekeeper.check(proposalOf({ action: { ...reads, cwd: '/nowhere' } }))).kind,
    'allowed',
  );
  const denied = await gatekeeper.check(proposalOf({ action }));
  assert.deepEqual(denied, {
    kind: 'denied',
    rule: 'approvals: its directory cannot be looked at',
    by: 'policy',
  });
  const held = await gatekeeper.check(proposalOf());
  assert.ok(held.kind === 'held');
  const { binding } = gatekeeper.wholeApproval(held.approvalId) ?? {};
  assert.deepEqual(
    binding?.files.map(({ path }) => path),
    ['/usr/bin/touch'],
  );
});

test('files of another user and of another machine are not looked at', async (t) => {
  const { gatekeeper } = await openApprovalsRig(t);
  const others = [actionOf({ runAs: 'member' }), actionOf({ host: 'server' })];
  for (const [index, action] of others.entries()) {
    const held = await gatekeeper.check(proposalOf({ action, runId: `run-${index}` }));
    assert.ok(held.kind === 'held', JSON.stringify(held));
    const record = gatekeeper.wholeApproval(held.approvalId);
    assert.deepEqual([record?.state, record?.binding], ['pending', undefined]);
  }
});

test('variables that may never be added are denied, whatever the command', async (t) => {
  const { gatekeeper } = await openApprovalsRig(t);
  const action = { ...line('ls'), envAdditions: { LD_PRELOAD: '/tmp/x.so' } };
  const verdict = await gatekeeper.check(proposalOf({ action }));
  assert.equal(verdict.kind, 'denied');
  assert.match(verdict.rule, /LD_PRELOAD/);
  assert.equal(gatekeeper.count({}), 0);
});

test('another host, another shell and a line that cannot be read are asked about', async (t) => {
  const { gatekeeper } = await openApprovalsRig(t);
  const actions = [
    { ...line('ls'), host: 'server' },
    line('ls', '/usr/bin/zsh'),
    line('ls', '/tmp/bash'),
    line('ls', 'bash'),
    line('ls "'),
  ];
  for (const [index, action] of actions.entries()) {
    const verdict = await gatekeeper.check(proposalOf({ action, runId: `run-${index}` }));
    assert.equal(verdict.kind, 'held', JSON.stringify(action));
  }
});

test('policies: everything, nothing, and what a caller makes stricter', async (t) => {
  const { gatekeeperWith } = await openApprovalsRig(t);
  const touch = proposalOf();
  const full = gatekeeperWith({ policy: { security: 'full', ask: 'off' } });
  assert.deepEqual(await full.check(touch), { kind: 'allowed', rule: 'security: full', rules: [] });
  const strict = await full.check({ ...touch, stricter: { security: 'allowlist' } });
  assert.equal(strict.kind, 'denied');
  const deny = gatekeeperWith({ policy: { security: 'deny', ask: 'always' } });
  assert.deepEqual(await deny.check(touch), {
    kind: 'denied',
    rule: 'security: deny',
    by: 'policy',
  });
  const off = gatekeeperWith({ policy: { security: 'allowlist', ask: 'off' } });
  const missed = await off.check({ ...touch, stricter: { ask: 'on-miss' } });
  assert.equal(missed.kind, 'denied');
  const always = await full.check({ ...touch, stricter: { ask: 'always' } });
  assert.equal(always.kind, 'held');
});

test('a program that does not exist is answered at once, unless only the shell could tell', async (t) => {
  const { gatekeeper } = await openApprovalsRig(t);
  const check = (action: ReturnType<typeof actionOf>, runId: string) =>
    gatekeeper.check(proposalOf({ action, runId }));
  const argv = (...words: [string, ...string[]]) =>
    actionOf({ command: { kind: 'argv', argv: words } });
  for (const [action, program] of [
    [argv('ls -la'), 'ls -la'],
    [argv('/usr/bin/no-such-program', 'x'), '/usr/bin/no-such-program'],
    [line('lss -la'), 'lss'],
    [line('./lss'), './lss'],
  ] as const) {
    assert.deepEqual(await check(action, 'absent'), { kind: 'absent', program });
  }
  assert.equal(gatekeeper.count({}), 0);
  // What comes before it may make it, and what comes after it may be meant for when it is not there.
  for (const [index, text] of [
    'lss || ls',
    'make; ./made',
    'ls | lss',
    '$(lss)',
    'lss > out',
    'if lss; then ls; fi',
    'cd /tmp && ./lss',
  ].entries()) {
    assert.equal((await check(line(text), `held-${index}`)).kind, 'held', text);
  }
  // There is something of that name: what becomes of it is the kernel's to say.
  assert.equal((await check(argv('/etc/passwd'), 'no-program')).kind, 'held');
  const denied = { action: line('lss'), stricter: { ask: 'off' } } as const;
  assert.equal((await gatekeeper.check(proposalOf(denied))).kind, 'denied');
});

test('whoever asks is told why a person is asked', async (t) => {
  const { gatekeeper } = await openApprovalsRig(t);
  const held = await gatekeeper.check(proposalOf());
  assert.ok(held.kind === 'held');
  assert.equal(held.why, '/usr/bin/touch is not on the allowlist');
  assert.deepEqual(await gatekeeper.check(proposalOf()), held, 'asked for twice, it is the same');
  const loop = { action: line('for i in 1 2; do echo $i; done'), runId: 'run-2', directory: '/' };
  const filledIn = await gatekeeper.check(proposalOf(loop));
  assert.ok(filledIn.kind === 'held');
  assert.match(
    filledIn.why,
    /^the shell may fill in file names for \$i \(not if it is quoted\), and there is no working tree/,
  );
  const reads = { action: line('cat $HOME/x'), runId: 'run-3', directory: '/' };
  const reader = await gatekeeper.check(proposalOf(reads));
  assert.match(reader.kind === 'held' ? reader.why : '', /^there is no working tree/);
});

test('a caller that wishes to be asked where nobody is asked is told so', async (t) => {
  const { gatekeeperWith } = await openApprovalsRig(t);
  const off = gatekeeperWith({ policy: { security: 'allowlist', ask: 'off' } });
  const answer = await off.check(proposalOf({ action: line('ls'), stricter: { ask: 'always' } }));
  assert.ok(answer.kind === 'denied');
  assert.equal(answer.rule, 'ask: off, so nobody is asked');
});

test('whoever runs the machine has one list of rules, over stdio and at the gateway; others have theirs', async (t) => {
  const { gatekeeper, ask, decide } = await openApprovalsRig(t);
  const at = (account: string, isOwner?: boolean) => ({
    action: actionOf({ account }),
    ...(isOwner === undefined ? {} : { asker: { name: 'agent', isOwner } }),
  });
  const kindOf = async (parts: ReturnType<typeof at>): Promise<string> =>
    (await gatekeeper.check(proposalOf({ runId: `run-${parts.action.account}`, ...parts }))).kind;
  const owner = at('0123456789abcdef', true);
  const outcome = await decide(await ask({ ...owner, runId: 'first' }), {
    decision: 'allow-always',
  });
  assert.ok(outcome.kind === 'decided');
  assert.deepEqual(
    outcome.rules.map(({ account, namedPath }) => [account, namedPath]),
    [['local', '/usr/bin/touch']],
  );
  assert.deepEqual([await kindOf(owner), await kindOf(at('local'))], ['allowed', 'allowed']);
  assert.equal(await kindOf(at('fedcba9876543210', false)), 'held', 'a member has its own');
  assert.equal(await kindOf(at('cli')), 'held', 'so has what a person does at a terminal');
});

test('what runs as another user is told nothing of what we see, and gets no rule', async (t) => {
  const { gatekeeper, decide } = await openApprovalsRig(t);
  const whys = new Set<string | undefined>();
  for (const program of ['/usr/bin/touch', '/nonexistent/program']) {
    const command = { kind: 'argv', argv: [program] } as const;
    const action = actionOf({ command, runAs: 'ann' });
    const held = await gatekeeper.check(
      proposalOf({ action, runId: program.replaceAll('/', '-') }),
    );
    assert.ok(held.kind === 'held');
    whys.add(gatekeeper.approval(held.approvalId)?.why);
    const outcome = await decide(held.approvalId, { decision: 'allow-always' });
    assert.ok(outcome.kind === 'not-for-ever', outcome.kind);
    assert.ok(!outcome.why.includes(program));
  }
  assert.deepEqual([...whys], ['not everything that it runs is on the allowlist']);
});

test('the same request under the same run id is one approval, another one is denied', async (t) => {
  const { gatekeeper } = await openApprovalsRig(t);
  const first = await gatekeeper.check(proposalOf());
  assert.deepEqual(await gatekeeper.check(proposalOf()), first);
  const other = await gatekeeper.check(proposalOf({ action: actionOf({ cwd: '/' }) }));
  assert.equal(other.kind, 'denied');
  const smuggled = await gatekeeper.check(proposalOf({ request: '{"request":2}' }));
  assert.equal(smuggled.kind, 'denied');
});

test('an agent that asks in a loop is denied in the end, and time makes room again', async (t) => {
  const { gatekeeper, ask, time } = await openApprovalsRig(t);
  for (let count = 0; count < 64; count += 1) await ask();
  const verdict = await gatekeeper.check(proposalOf());
  assert.equal(verdict.kind, 'denied');
  time.bootMs += approvalLifetimeMs;
  assert.equal((await gatekeeper.check(proposalOf())).kind, 'held');
});

test('the hash tells every part of an action apart', () => {
  const bound = { action: actionOf(), runId: 'run', request: 'request', searchPath: '/bin' };
  const argv = (...words: [string, ...string[]]) => ({ kind: 'argv', argv: words }) as const;
  const actions = [
    actionOf({ command: argv('/usr/bin/touch', 'x', '') }),
    actionOf({ command: argv('/usr/bin/touch x') }),
    actionOf({ command: argv('line', '/usr/bin/touch', 'x') }),
    actionOf({ command: { kind: 'line', shell: '/usr/bin/touch', line: 'x' } }),
    actionOf({ cwd: '/' }),
    actionOf({ envAdditions: { A: 'b' } }),
    actionOf({ envAdditions: { A: 'b', C: 'd' } }),
    actionOf({ envAdditions: { 'A","b': 'd' } }),
    actionOf({ stdin: 'b' }),
    actionOf({ stdin: '/bin' }),
    actionOf({ host: 'other' }),
    actionOf({ hostName: 'web' }),
    actionOf({ runAs: 'web' }),
    actionOf({ account: 'other' }),
  ];
  const hashes = [
    hashAction(bound),
    ...actions.map((action) => hashAction({ ...bound, action })),
    hashAction({ ...bound, runId: 'other' }),
    hashAction({ ...bound, request: 'other' }),
    hashAction({ ...bound, searchPath: 'other' }),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
  const one = actionOf({ envAdditions: { A: '1', B: '2' } });
  const other = actionOf({ envAdditions: { B: '2', A: '1' } });
  assert.equal(hashAction({ ...bound, action: one }), hashAction({ ...bound, action: other }));
});

const tampering: Readonly<Record<string, string>> = {
  'the command': `UPDATE approval_bodies SET action = replace(action, 'touch', 'rm')`,
  'the directory': `UPDATE approval_bodies SET action = replace(action, '/tmp', '/etc')`,
  'the request': `UPDATE approval_bodies SET request = '{"request":2}'`,
  'the run id': `UPDATE approvals SET run_id = 'run-2'`,
  'the account': `UPDATE approvals SET account = 'another'`,
  'the search path': `UPDATE approval_bodies SET search_path = '/tmp/evil'`,
  'the action into nonsense': `UPDATE approval_bodies SET action = 'x'`,
  'the body into nothing': `DELETE FROM approval_bodies`,
};

for (const [what, sql] of Object.entries(tampering)) {
  test(`A4: changing ${what} after it was allowed makes it a denial`, async (t) => {
    const { gatekeeper, stateDir, ask, decide } = await openApprovalsRig(t);
    const approvalId = await ask({ runId: 'run-1' });
    assert.equal((await decide(approvalId)).kind, 'decided');
    const db = new DatabaseSync(`${stateDir}/registry.db`);
    db.exec(sql);
    db.close();
    const record = gatekeeper.wholeApproval(approvalId);
    assert.equal(record?.state, 'denied');
    assert.match(record?.why ?? '', /does not match its hash/);
    const again = await decide(approvalId);
    assert.equal(again.kind, 'over');
  });
}

test('it survives a restart: another process reads the same', async (t) => {
  const { gatekeeper, stateDir, ask } = await openApprovalsRig(t);
  await ask({ runId: 'run-1' });
  const { approvalId = '' } = gatekeeper.approvalOf('run-1') ?? {};
  const before = gatekeeper.wholeApproval(approvalId);
  const program = new URL('../fixtures/read-approval.ts', import.meta.url).pathname;
  const args = ['--conditions=@clawdfather/source', program, stateDir, 'run-1'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(before)));
});

test('A3, C1: it expires by the boot clock, whatever the wall clock is set to', async (t) => {
  const { gatekeeper, ask, time } = await openApprovalsRig(t);
  await ask({ runId: 'run-1' });
  const state = () => gatekeeper.approvalOf('run-1')?.state;
  time.wallMs += 10 * approvalLifetimeMs;
  assert.equal(state(), 'pending');
  time.wallMs = 0;
  assert.equal(state(), 'pending');
  time.bootMs += approvalLifetimeMs - 1;
  assert.equal(state(), 'pending');
  time.bootMs += 1;
  assert.equal(state(), 'expired');
});

test('after a reboot the wall clock counts, and nonsense counts as expired', async (t) => {
  const { gatekeeper, ask, time } = await openApprovalsRig(t);
  await ask({ runId: 'run-1' });
  const state = () => gatekeeper.approvalOf('run-1')?.state;
  const startMs = time.wallMs;
  time.bootId = 'another boot';
  time.bootMs = 5;
  assert.equal(state(), 'pending');
  time.wallMs = startMs + approvalLifetimeMs;
  assert.equal(state(), 'expired');
  time.wallMs = startMs - 1;
  assert.equal(state(), 'expired');
});

test('A3: what was allowed lapses when nobody starts it, and with the boot', async (t) => {
  const { gatekeeper, ask, decide, time } = await openApprovalsRig(t);
  const approvalId = await ask({ runId: 'run-1' });
  time.bootMs += approvalLifetimeMs - 1;
  await decide(approvalId);
  const state = () => gatekeeper.approvalOf('run-1')?.state;
  assert.equal(state(), 'allowed');
  time.bootMs += approvalLifetimeMs - 1;
  assert.equal(state(), 'allowed');
  const { bootId } = time;
  time.bootId = 'another boot';
  assert.equal(state(), 'expired');
  time.bootId = bootId;
  time.bootMs += 1;
  assert.equal(state(), 'expired');
});
