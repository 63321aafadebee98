/*
 * A member with a Unix user of its own: its commands have that user's rights and names, and nothing of the gateway's.
 */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createSupervisor, openApprovals } from '@clawdfather/supervisor';
import { cannotMakeUsers as skip, makeUnixUser } from '@clawdfather/testkit';
import { openGateway } from '../../src/open-gateway.ts';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { forgeLink, kindAfter } from '../fixtures/forge-link.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket } from '../socket/fixtures.ts';

async function outputOf(caller: ApiCaller, params: object): Promise<string> {
  const { status, body } = await caller.post('/api/v1/runs', { yieldMs: 20_000, ...params });
  assert.equal(status, 201, JSON.stringify(body));
  return body.output.replaceAll('\r', '');
}

for (const pty of [false, true]) {
  const where = pty ? 'a terminal' : 'pipes';
  test(`a command on ${where} has the user's ids, groups, names and directories`, {
    skip,
  }, async () => {
    await using user = await makeUnixUser(['users']);
    const environment = {
      PATH: '/usr/bin:/bin',
      HOME: '/srv/gateway',
      USER: 'root',
      LOGNAME: 'root',
      SHELL: '/bin/bash',
      TMPDIR: '/srv/gateway/tmp',
      XDG_RUNTIME_DIR: '/run/user/0',
      LC_ALL: 'C.UTF-8',
    };
    await using rig = await openTestGateway({ otherRunsAs: user, runs: { environment } });
    const member = callerOf(rig.url, rig.other.token);
    const line =
      'id -u; id -g; id -Gn; pwd; echo "$HOME $USER $LOGNAME $SHELL $LC_ALL"; echo $TMPDIR';
    const said = (await outputOf(member, { command: line, pty })).split('\n');
    const { name, uid, gid, home } = user;
    const temporary = join(rig.config.runs.temporaryRoot ?? '', String(uid));
    assert.deepEqual(said.slice(0, 6), [
      `${uid}`,
      `${gid}`,
      `${name} users`,
      home,
      `${home} ${name} ${name} /bin/sh C.UTF-8`,
      temporary,
    ]);
    const names = await outputOf(member, {
      command: 'env | cut -d= -f1 | grep XDG; echo end',
      pty,
    });
    assert.equal(names, 'end\n');
    await outputOf(member, { command: 'mktemp', pty });
    const found = statSync(temporary);
    assert.deepEqual([found.uid, found.gid, found.mode & 0o777], [uid, gid, 0o700]);
    const { body } = await member.get('/api/v1/runs');
    assert.equal(body.total, 3);
  });
}

test('it can neither read nor write the state directory, nor look into the gateway', {
  skip,
}, async () => {
  await using user = await makeUnixUser();
  await using rig = await openTestGateway({ otherRunsAs: user });
  const member = callerOf(rig.url, rig.other.token);
  const { stateDir } = rig.config;
  const { secret, command, hasRun } = forgeLink(rig);
  await outputOf(member, { command });
  assert.deepEqual([await kindAfter(rig.url, secret), hasRun()], [401, false]);
  const files = [stateDir, join(stateDir, 'registry.db'), join(rig.directory, 'control.db')];
  const gateway = ['environ', 'mem', 'fd'].map((name) => `/proc/${process.pid}/${name}`);
  for (const path of [...files, ...gateway]) {
    const tried = `ls ${path}/ >/dev/null 2>&1 || head -c 1 ${path} >/dev/null 2>&1 && echo yes; echo tried`;
    assert.equal(await outputOf(member, { command: tried }), 'tried\n', path);
  }
  // What it may not enter is not told apart from what is not there.
  const refusals = await Promise.all(
    [stateDir, join(stateDir, 'missing')].map((workdir) =>
      member.post('/api/v1/runs', { command: 'true', workdir, yieldMs: 20_000 }),
    ),
  );
  assert.deepEqual(
    refusals.map(({ body }) => body.error.message.replace('/missing', '')),
    Array.from({ length: 2 }, () => refusals[0]?.body.error.message),
  );
});

test('an approval is bound to the user: without it, or with another, nothing starts', {
  skip,
}, async () => {
  await using user = await makeUnixUser();
  await using another = await makeUnixUser();
  await using rig = await openTestGateway({ otherRunsAs: user });
  const { token } = (
    await callerOf(rig.url, rig.other.token).post('/api/v1/auth/tokens', {
      label: 'agent',
      scopes: ['read', 'run'],
    })
  ).body;
  const agent = callerOf(rig.url, token);
  const made = join(user.home, 'made');
  const ask = async () => (await agent.post('/api/v1/runs', { argv: ['touch', made] })).body;
  const [first, second, third] = [await ask(), await ask(), await ask()];
  const shown = await agent.get(`/api/v1/approvals/${first.approvalId}`);
  assert.deepEqual([shown.body.state, shown.body.runAs], ['pending', user.name]);
  await rig.gateway.close();

  const id = rig.other.accountId;
  const problems: (string | null)[] = [];
  for (const [approvalId, accounts] of [
    [first.approvalId, []],
    [second.approvalId, [{ id, runAs: another.name }]],
    [third.approvalId, [{ id, runAs: user.name }]],
  ]) {
    const deps = { clock: createSystemClock(), random: createSystemRandom(), log: silentLog };
    await using next = await openGateway({ ...rig.config, accounts }, deps);
    const member = callerOf(next.url, rig.other.token);
    const { body } = await member.post(`/api/v1/approvals/${approvalId}`, {
      decision: 'allow-once',
    });
    problems.push(body.problem);
    if (body.problem === null) await member.untilEnded(third.runId);
    else assert.throws(() => statSync(made), { code: 'ENOENT' });
  }
  assert.match(problems[0] ?? '', /belongs to its owner/);
  assert.match(problems[1] ?? '', /another Unix user/);
  assert.equal(problems[2], null);
  assert.equal(statSync(made).uid, user.uid);
});

test('a stored request whose user was changed is not started', { skip }, async () => {
  await using user = await makeUnixUser();
  const runs = { personPolicy: { security: 'full', ask: 'always' } } as const;
  await using rig = await openTestGateway({ otherRunsAs: user, runs });
  const member = callerOf(rig.url, rig.other.token);
  const { secret, command } = forgeLink(rig);
  const { approvalId } = (await member.post('/api/v1/runs', { command })).body;
  const store = await openApprovals({ stateDir: rig.config.stateDir });
  const request = store.approvalBody(approvalId)?.request ?? '';
  await store.close();
  assert.ok(request.includes(`"uid":${user.uid}`));
  using database = new DatabaseSync(join(rig.config.stateDir, 'registry.db'));
  const change = database.prepare(
    'UPDATE approval_bodies SET request = ? WHERE seq = (SELECT seq FROM approvals WHERE approval_id = ?)',
  );
  change.run(request.replaceAll(`"uid":${user.uid}`, '"uid":0'), approvalId);
  const decided = await member.post(`/api/v1/approvals/${approvalId}`, { decision: 'allow-once' });
  assert.equal(decided.body.error?.code, 'already_decided', JSON.stringify(decided.body));
  assert.equal(await kindAfter(rig.url, secret), 401);
});

test('a run from before, as the gateway itself, can be looked at and ended, and not typed into', async () => {
  await using rig = await openTestGateway();
  const supervisor = await createSupervisor({
    stateDir: rig.config.stateDir,
    launcher: 'direct',
    adoption: 'record',
  });
  const labels = { account: rig.other.accountId, requester: 'device:earlier', host: 'local' };
  const { runId } = await supervisor.spawn({
    mode: 'pty',
    ptyCommand: 'exec sh',
    cwd: rig.directory,
    env: { PATH: '/usr/bin:/bin' },
    sessionId: 'api',
    backendId: 'exec',
    labels,
    overallTimeoutMs: undefined,
  });
  const member = callerOf(rig.url, rig.other.token);
  const { secret, command, hasRun } = forgeLink(rig);
  const path = `/api/v1/runs/${runId}`;
  assert.equal((await member.get(path)).status, 200);
  for (const [action, body] of [
    ['input', { data: `${command}\n` }],
    ['keys', { literal: `${command}\n` }],
    ['keys', { paste: command }],
    ['signal', { signal: 'INT' }],
  ] as const) {
    assert.equal((await member.post(`${path}/${action}`, body)).status, 403, action);
  }
  await using socket = await openRunSocket(rig, runId, { token: rig.other.token });
  socket.send({ type: 'terminal.input', data: `${command}\n` });
  assert.equal((await socket.next('error')).code, 'forbidden');
  assert.deepEqual([hasRun(), await kindAfter(rig.url, secret)], [false, 401]);
  const ended = await member.post(`${path}/cancel`, { graceMs: 0 });
  assert.equal(ended.body.isGone, true);
  await supervisor.close();
});
