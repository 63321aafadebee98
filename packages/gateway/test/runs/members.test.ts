/*
 * The gateway's machine belongs to its owner: a member without a Unix user of its own starts nothing there, by no door.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { decideOn } from '@clawdfather/sessions';
import { createSupervisor, openApprovals } from '@clawdfather/supervisor';
import {
  agentPolicy,
  createAllowlist,
  createGatekeeper,
  createStarterReach,
  createTools,
  decideApproval,
  requesterMarksOf,
} from '@clawdfather/tools';
import { openGateway } from '../../src/open-gateway.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { forgeLink, kindAfter } from '../fixtures/forge-link.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { connect } from '../mcp/rig.ts';
import { TestSocket } from '../socket/fixtures.ts';

const random = createSystemRandom();

function assertRefused({ status, body }: Answer, { other }: TestGateway): void {
  assert.deepEqual([status, body.error?.code], [403, 'forbidden'], JSON.stringify(body));
  assert.equal(body.error.detail.account_id, other.accountId);
  const setting = `accounts.${other.accountId}.runAs`;
  assert.equal(body.error.detail.setting, setting);
  assert.match(body.error.message, /belongs to its owner/);
  assert.match(body.error.hint, /Ask the operator/);
  assert.ok(body.error.hint.includes(setting));
}

const makeToken = async (rig: TestGateway, token: string, scopes: readonly string[]) =>
  (await callerOf(rig.url, token).post('/api/v1/auth/tokens', { label: random.id(), scopes })).body;

test('a member does not become the owner by a run, on pipes, on a terminal or in a shell of its choice', async () => {
  await using rig = await openTestGateway();
  const member = callerOf(rig.url, rig.other.token);
  for (const how of [{}, { pty: true }, { shell: '/bin/bash' }, { host: 'local' }]) {
    const { secret, command, hasRun } = forgeLink(rig);
    const asked = { command, yieldMs: 10_000, ...how };
    assertRefused(await member.post('/api/v1/runs', asked), rig);
    assert.equal(await kindAfter(rig.url, secret), 401, JSON.stringify(how));
    assert.equal(hasRun(), false);
  }
  assert.equal((await member.get('/api/v1/runs')).body.total, 0);
  // The same by the owner: the attempt is a real one.
  const { secret, command } = forgeLink(rig);
  await callerOf(rig.url, rig.owner.token).post('/api/v1/runs', { command, yieldMs: 10_000 });
  assert.equal(await kindAfter(rig.url, secret), 'owner');
});

test('nor with a key, again and again, nor by a session on the machine, nor with a token of its own', async () => {
  await using rig = await openTestGateway({
    runs: { agentPolicy: { security: 'full', ask: 'off' } },
  });
  const { secret, command, hasRun } = forgeLink(rig);
  const { token } = await makeToken(rig, rig.other.token, ['read', 'run', 'approve']);
  for (const caller of [callerOf(rig.url, rig.other.token), callerOf(rig.url, token)]) {
    for (const key of ['one', 'one', 'two']) {
      const headers = { 'idempotency-key': key };
      assertRefused(await caller.post('/api/v1/runs', { command }, headers), rig);
      assertRefused(await caller.post('/api/v1/sessions', {}, headers), rig);
    }
    assert.equal((await caller.get('/api/v1/sessions')).body.total, 0);
  }
  assert.deepEqual([await kindAfter(rig.url, secret), hasRun()], [401, false]);
});

test('nor over MCP, in any revision', async () => {
  await using rig = await openTestGateway({
    runs: { agentPolicy: { security: 'full', ask: 'off' } },
  });
  const { secret, command, hasRun } = forgeLink(rig);
  const { token } = await makeToken(rig, rig.other.token, ['read', 'run']);
  for (const revision of ['2025-06-18', '2026-07-28']) {
    await using agent = await connect({ url: `${rig.url}/mcp`, token, revision });
    const answer = await agent.call('exec', { command });
    assert.equal(answer.isError, true, answer.text);
    assert.ok(answer.text.includes(`accounts.${rig.other.accountId}.runAs`), answer.text);
  }
  const { body } = await callerOf(rig.url, rig.other.token).get('/api/v1/audit?action=run.start');
  assert.deepEqual(body.entries, [], 'nothing was started');
  assert.deepEqual([await kindAfter(rig.url, secret), hasRun()], [401, false]);
});

/* A request of the member's that an earlier version stored: it knew no users, and held it until it is decided. */
async function storeHeld(rig: TestGateway, command: string) {
  const { stateDir } = rig.config;
  const clock = createSystemClock();
  const supervisor = await createSupervisor({ stateDir, launcher: 'direct', adoption: 'record' });
  const store = await openApprovals({ stateDir });
  const gatekeeper = createGatekeeper({
    store,
    allowlist: createAllowlist(store),
    reach: createStarterReach({ home: undefined, ours: [stateDir] }),
    clock,
    random,
    policy: agentPolicy,
    requesterMarks: requesterMarksOf([]),
  });
  const tools = createTools({
    supervisor,
    gatekeeper,
    clock,
    random,
    log: silentLog,
    users: { of: () => undefined },
    baseEnvironment: { PATH: '/usr/bin:/bin' },
    homeDirectory: rig.directory,
    takesUp: false,
  });
  const { signal } = new AbortController();
  const account = rig.other.accountId;
  const call = { signal, requester: 'token:earlier', account, sessionId: 'api' };
  const held = await tools.exec({ command }, call);
  await tools.close();
  await store.close();
  await supervisor.close();
  assert.ok(held.status === 'approval-pending');
  return held;
}

/* As a person who decides at a terminal, or at a gateway of an earlier version. */
async function allowBetween({ config }: TestGateway, approvalId: string): Promise<void> {
  const store = await openApprovals({ stateDir: config.stateDir });
  const clock = createSystemClock();
  const deps = { store, allowlist: createAllowlist(store), clock, random };
  const decider = { credential: 'device:earlier' };
  const decision = { approvalId, decision: 'allow-once', by: 'test', decider } as const;
  assert.equal((await decideApproval(deps, decision)).kind, 'decided');
  await store.close();
}

/* From the time when members had sessions on the machine. */
async function makeSession({ gateway, other }: TestGateway): Promise<string> {
  const audit = { action: 'test', actor: 'test' };
  const { sessions } = gateway.store.forAccount(other.accountId);
  const owner = { instanceId: 'earlier', generation: 1 };
  const made = await sessions.create({ agent: 'none', owner, openMax: 3, audit });
  assert.ok('session' in made);
  const { id, epoch } = made.session;
  await sessions.change(id, decideOn({ type: 'activated', epoch }, audit));
  return id;
}

test('nor by allowing what an earlier version has held, over HTTP or a socket, here or after a restart', async () => {
  await using rig = await openTestGateway();
  const member = callerOf(rig.url, rig.other.token);
  const [one, two, three] = [forgeLink(rig), forgeLink(rig), forgeLink(rig)];
  const [http, socket, restart] = [
    await storeHeld(rig, one.command),
    await storeHeld(rig, two.command),
    await storeHeld(rig, three.command),
  ];
  const path = `/api/v1/approvals/${http.approvalId}`;
  const decided = await member.post(path, { decision: 'allow-once' });
  assert.equal(decided.status, 200);
  assert.match(decided.body.problem, /belongs to its owner/);

  // A socket needs a run to look at; what it decides on is named in the message.
  const session = await makeSession(rig);
  await using open = await new TestSocket(`${rig.url}/ws/sessions/${session}`).opened();
  open.send({ type: 'auth', token: rig.other.token });
  await open.next('session');
  open.send({ type: 'approve', approval_id: socket.approvalId, decision: 'allow-once' });
  assert.equal((await open.next('approved')).state, 'allowed');

  // Allowed while no gateway runs: the next one takes up what was allowed, and asks the same rule.
  await rig.gateway.close();
  await allowBetween(rig, restart.approvalId);
  const heard = Promise.withResolvers<unknown>();
  const log = { ...silentLog, warn: (...line: unknown[]) => heard.resolve(line) };
  await using _next = await openGateway(rig.config, { clock: createSystemClock(), random, log });
  const [name, fields] = (await heard.promise) as [string, { readonly error: Error }];
  assert.equal(name, 'exec.held-failed');
  assert.match(fields.error.message, /belongs to its owner/);
  assert.deepEqual(
    [one, two, three].map(({ hasRun }) => hasRun()),
    [false, false, false],
  );
});
