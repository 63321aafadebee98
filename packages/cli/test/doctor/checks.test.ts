/*
 * Each check of the doctor on a healthy host and on a sick one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '@clawdfather/kit';
import { mcpSpec } from '../../src/commands/mcp-spec.ts';
import { checkConfig } from '../../src/doctor/config-check.ts';
import { checkConfinement } from '../../src/doctor/confinement-check.ts';
import { callWith } from '../support/configs.ts';
import { findingsJson, formatFindings, hasFailed } from '../../src/doctor/finding.ts';
import {
  checkCgroup,
  checkDisk,
  checkKernel,
  checkNode,
  checkPlatform,
  checkProc,
  checkSystemd,
} from '../../src/doctor/host-checks.ts';
import type { HostFacts } from '../../src/doctor/host-facts.ts';
import {
  checkDecisions,
  checkLeftovers,
  checkOwners,
  checkRunDirs,
} from '../../src/doctor/run-checks.ts';
import { findDelegatedCgroup } from '../../src/runs/delegated-cgroup.ts';
import { checkShim } from '../../src/doctor/shim-check.ts';
import { checkStateDir, type DirectoryFacts } from '../../src/doctor/state-checks.ts';
import { createPaint } from '../../src/render/paint.ts';
import { exitWith, recordWith, runId } from '../support/records.ts';

function hostWith(over: Partial<HostFacts> & { files?: Record<string, string> } = {}): HostFacts {
  return {
    platform: 'linux',
    nodeVersion: '24.15.0',
    kernelRelease: '6.1.0-31-amd64',
    userName: 'ann',
    userId: 7,
    readText: (path) => over.files?.[path],
    isWritable: () => true,
    freeSpace: () => Promise.resolve({ bytes: 2 ** 36, inodes: 1e6, isMemory: false }),
    ...over,
  };
}

test('platform and Node', () => {
  assert.equal(checkPlatform(hostWith()).status, 'ok');
  assert.equal(checkPlatform(hostWith({ platform: 'darwin' })).status, 'fail');
  assert.equal(checkNode(hostWith()).status, 'ok');
  assert.equal(checkNode(hostWith({ nodeVersion: '24.14.9' })).status, 'fail');
  assert.equal(checkNode(hostWith({ nodeVersion: '26.0.0' })).status, 'ok');
});

test('the kernel: recent enough, or too old to hold a process by a descriptor', () => {
  assert.equal(checkKernel(hostWith()).status, 'ok');
  assert.equal(checkKernel(hostWith({ kernelRelease: '5.3-rc1' })).status, 'ok');
  const old = checkKernel(hostWith({ kernelRelease: '4.18.0-553.el8_10.x86_64' }));
  assert.equal(old.status, 'fail');
  assert.match(old.summary, /4\.18\.0.* too old/);
});

test('the shim: there and running, missing, or not for this machine', async () => {
  const path = '/x/shim';
  const unlisted = (): 'unlisted' => 'unlisted';
  const said = await checkShim({
    findPath: () => path,
    compare: unlisted,
    run: () => Promise.resolve('clawdfather-shim protocol 1\n'),
  });
  assert.deepEqual(said, { check: 'shim', status: 'ok', summary: 'clawdfather-shim protocol 1' });
  const missing = await checkShim({
    findPath: () => {
      throw new CodedError('shim-missing', 'not built', { hint: 'Build it.' });
    },
    compare: unlisted,
  });
  assert.deepEqual(missing, {
    check: 'shim',
    status: 'fail',
    summary: 'not built',
    advice: 'Build it.',
  });
  const changed = await checkShim({ findPath: () => path, compare: () => 'changed' });
  assert.equal(changed.status, 'fail');
  assert.match(changed.summary, /\/x\/shim is not the program that was installed/);
  const foreign = await checkShim({ findPath: () => import.meta.filename, compare: unlisted });
  assert.equal(foreign.status, 'fail');
  assert.match(foreign.summary, /cannot be run \(EACCES\)/);
});

test('Landlock: there, too old for some of it, or missing', () => {
  const landlockOf = (landlock: number) => checkConfinement({ landlock, why: 'not supported' });
  assert.equal(landlockOf(7).status, 'ok');
  assert.match(landlockOf(7).summary, /version 7 .* to the working tree$/);
  assert.match(landlockOf(1).summary, /too old to refuse TCP and signals and abstract sockets$/);
  assert.equal(landlockOf(0).status, 'warn');
  assert.match(landlockOf(0).summary, /no Landlock \(not supported\)/);
});

test('a hidden or missing /proc', () => {
  const mounts = (line: string) => hostWith({ files: { '/proc/self/mounts': line } });
  assert.equal(checkProc(mounts('proc /proc proc rw 0 0')).status, 'ok');
  assert.equal(checkProc(mounts('proc /proc proc rw,hidepid=2 0 0')).status, 'warn');
  assert.equal(checkProc(hostWith()).status, 'fail');
});

test('E4: the nearest cgroup above us that is ours to divide', () => {
  const scope = '/sys/fs/cgroup/user.slice/user@7.service/app.slice';
  const files = {
    '/proc/self/cgroup': '0::/user.slice/user@7.service/app.slice/run-1.scope\n',
    '/proc/self/mounts': 'proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n',
    [`${scope}/run-1.scope/cgroup.subtree_control`]: '\n',
    [`${scope}/cgroup.subtree_control`]: 'cpu memory pids\n',
    '/sys/fs/cgroup/cgroup.subtree_control': 'cpu memory pids\n',
  };
  assert.equal(findDelegatedCgroup(hostWith({ files })), scope);
  const mine = (path: string): boolean => path.startsWith(`${scope}/`);
  assert.equal(findDelegatedCgroup(hostWith({ files, isWritable: mine })), undefined);
  assert.equal(findDelegatedCgroup(hostWith()), undefined);
});

test('E4: without a delegated cgroup some limits are off, which is no failure', () => {
  const none = checkCgroup(hostWith());
  assert.equal(none.status, 'info');
  assert.match(none.advice ?? '', /--limit-memory/);
  assert.match(none.summary, /^this machine has no cgroup v2$/);

  const mounts = 'cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n';
  const hybrid = { '/proc/self/mounts': mounts, '/sys/fs/cgroup/unified/cgroup.controllers': '\n' };
  const v1 = checkCgroup(hostWith({ files: hybrid }));
  assert.match(v1.summary, /no control of memory and pids/);
  assert.doesNotMatch(v1.advice ?? '', /systemd-run/, 'it would not help');

  const controllers = 'cpu memory pids\n';
  const files = { ...hybrid, '/sys/fs/cgroup/unified/cgroup.controllers': controllers };
  assert.match(checkCgroup(hostWith({ files })).advice ?? '', /systemd-run --user --scope/);
  const alone = checkCgroup(hostWith({ files, isWritable: () => false }));
  assert.match(alone.summary, /no systemd of this user answers/);
  assert.doesNotMatch(alone.advice ?? '', /systemd-run/);
});

test('E2: systemd is only informed about', () => {
  const files = { '/proc/1/comm': 'systemd\n', '/proc/self/cgroup': '0::/system.slice/x.service' };
  const findings = checkSystemd(hostWith({ files }));
  assert.deepEqual(
    findings.map(({ check, status }) => [check, status]),
    [
      ['linger', 'info'],
      ['kill-mode', 'info'],
    ],
  );
  const lingering = { ...files, '/var/lib/systemd/linger/ann': '' };
  assert.equal(checkSystemd(hostWith({ files: lingering }))[0]?.status, 'ok');
});

test('J4: space and inodes', async () => {
  const disk = (bytes: number, inodes = 1e6, isMemory = false) =>
    checkDisk(hostWith({ freeSpace: () => Promise.resolve({ bytes, inodes, isMemory }) }), '/s');
  assert.equal((await disk(2 ** 36)).status, 'ok');
  assert.equal((await disk(2 ** 29)).status, 'warn');
  assert.equal((await disk(2 ** 20)).status, 'fail');
  assert.equal((await disk(2 ** 36, 3)).status, 'fail');
  assert.match((await disk(2 ** 36, 1e6, true)).summary, /forgotten at the next boot/);
});

test('the state directory: ours, a directory, closed to others', () => {
  const facts: DirectoryFacts = {
    isDirectory: true,
    isLink: false,
    uid: 7,
    mode: 0o700,
    unsafeAbove: undefined,
  };
  const status = (over: Partial<typeof facts>) =>
    checkStateDir('/s', { ...facts, ...over }, 7).status;
  assert.equal(status({}), 'ok');
  assert.equal(status({ mode: 0o755 }), 'warn');
  assert.equal(status({ uid: 8 }), 'fail');
  assert.equal(status({ isLink: true }), 'fail');
  const unsafeAbove = { path: '/', why: 'everybody can write to it', cure: 'chmod go-w /' };
  assert.equal(status({ unsafeAbove }), 'fail');
  assert.equal(status({ isDirectory: false }), 'fail');
  assert.equal(checkStateDir('/s', undefined, 7).status, 'info');
});

test('records against directories', () => {
  const record = { runId: runId('a1') };
  const check = (records: (typeof record)[], directories: string[], empty: string[] = []) =>
    checkRunDirs({ records, directories, isEmpty: (name) => empty.includes(name) });
  assert.equal(check([record], ['a1']).status, 'ok');
  assert.match(check([], ['a1']).advice ?? '', /--rebuild/);
  assert.match(check([record], []).summary, /directory is gone: a1/);
  const stray = check([record], ['a1', 'b2'], ['b2']);
  assert.equal(stray.status, 'info');
  assert.match(stray.summary, /^1 run, all with a directory; 1 start came to nothing$/);
});

test('runs that cannot be verified, and what was left behind', () => {
  const decision = {
    runId: runId('a1'),
    decision: 'unverifiable',
    why: 'hidden',
    evidence: {},
  } as const;
  assert.equal(checkDecisions([]).status, 'ok');
  assert.match(checkDecisions([decision]).summary, /a1 \(hidden\)/);
  const leftovers = [{ pid: 9, startTicks: 1, comm: 'sleep' }];
  const record = recordWith({ state: 'exited', exit: exitWith({ leftovers }) });
  assert.equal(checkLeftovers([{ ...record, treeEndedAtMs: 5 }]).status, 'ok');
  assert.match(checkLeftovers([record]).summary, /3k9qv7hd2m5x \(sleep 9\)/);
});

test('owners are those that live; runs without one are not a fault', () => {
  const owner = {
    instanceId: 'instance',
    generation: 1,
    pid: 7,
    startTicks: 1,
    bootId: 'boot',
    pidNamespace: 1,
    leaseExpiresAtMs: 0,
    startedAtMs: 0,
    isReleased: false,
    isRevoked: false,
  };
  const check = (isOwnerAlive: boolean) =>
    checkOwners({ owners: [owner], runs: [recordWith()], isAlive: () => isOwnerAlive });
  assert.deepEqual(check(true), { check: 'owners', status: 'ok', summary: '1 owner, 1 live run' });
  assert.equal(check(false).status, 'info');
  assert.match(check(false).summary, /^0 owners, 1 live run, 1 of them without an owner$/);
});

test('the page and the JSON agree on health', () => {
  const paint = createPaint(false);
  const bad = {
    check: 'x',
    status: 'fail',
    summary: 'broken\u001b[2J',
    advice: 'mend it',
  } as const;
  const wide = { paint, columnsMax: undefined };
  assert.equal(
    formatFindings([bad], wide),
    'FAIL  x: broken\\x1b[2J\n      mend it\n\n1 problem, 0 warnings.\n',
  );
  assert.equal(
    formatFindings([bad], { paint, columnsMax: 12 }),
    'FAIL  x:\n      broken\\x1b[2J\n      mend\n      it\n\n1 problem, 0 warnings.\n',
  );
  assert.equal(hasFailed([bad]), true);
  assert.equal((findingsJson([bad]) as { isHealthy: boolean }).isHealthy, false);
  assert.match(formatFindings([], wide), /All is well\./);
});

test('settings: where they come from, and a door that is open', () => {
  const { config } = callWith(mcpSpec, []);
  assert.deepEqual(checkConfig(config), {
    check: 'config',
    status: 'ok',
    summary: '0 settings from the file, 0 from the environment',
  });
  const open = callWith(mcpSpec, ['--security', 'full', '--ask', 'off']).config;
  assert.equal(checkConfig(open).status, 'warn');
});
