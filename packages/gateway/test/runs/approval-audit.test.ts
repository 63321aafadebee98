/*
 * The audit log says what ran and who let it: at the gateway, on the command line beside it, and while it was not running.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openApprovals } from '@clawdfather/supervisor';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { askHere, decideHere, revokeHere } from '../fixtures/local-agent.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

interface Entry {
  readonly action: string;
  readonly actor: string;
  readonly target: string;
  readonly ip: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/* Oldest first. Asked again until there are so many. */
async function entriesOf(me: ApiCaller, action: string, atLeast = 0): Promise<readonly Entry[]> {
  for (;;) {
    const { body } = await me.get(`/api/v1/audit?limit=100&action=${action}`);
    const entries = body.entries as Entry[];
    if (entries.length >= atLeast) return entries.toReversed();
  }
}

async function tokenOf(rig: TestGateway, label: string, scopes: readonly string[]) {
  const me = callerOf(rig.url, rig.owner.token);
  const { body } = await me.post('/api/v1/auth/tokens', { label, scopes });
  return { ...callerOf(rig.url, body.token), id: body.id as string };
}

test('a start says the command, who asked, and the rule that let it; a denial says why', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const agent = await tokenOf(rig, 'ci', ['read', 'run']);
  await me.start({ command: 'echo "$SECRET" | wc -c', env: { SECRET: 'hidden' } });
  const runId = await agent.start({ argv: ['/usr/bin/echo', 'x'.repeat(2_000)] });
  const [mine, theirs] = await entriesOf(me, 'run.start');
  assert.deepEqual(mine?.detail, {
    who: 'test',
    host: 'local',
    command: 'echo "$SECRET" | wc -c',
    allowed_by: 'security: full',
  });
  assert.deepEqual([theirs?.actor, theirs?.target], [`token:${agent.id}`, runId]);
  const { who, command, allowed_by: allowedBy } = theirs?.detail ?? {};
  assert.deepEqual([who, allowedBy], ['ci', 'allowlist: /usr/bin/echo']);
  assert.match(String(command), /^\/usr\/bin\/echo x{1009}…$/);
  const denied = await agent.post('/api/v1/runs', { argv: ['rm', 'x'], security: 'deny' });
  assert.equal(denied.body.status, 'denied');
  const [refused, ...more] = await entriesOf(me, 'run.denied');
  assert.deepEqual(refused?.detail, {
    who: 'ci',
    host: 'local',
    command: 'rm x',
    rule: 'security: deny',
  });
  assert.deepEqual([more, (await entriesOf(me, 'run.start')).length], [[], 2]);
});

test('a start that failed is marked, and the log of one run has nothing of others', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  await me.start({ command: 'exit 127' });
  const { body: failed } = await me.post('/api/v1/runs', { argv: ['no-such-program'] });
  const { body } = await me.get(`/api/v1/audit?target=${String(failed.runId)}`);
  const entries = body.entries as Entry[];
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['run.unstarted', 'run.start'],
  );
  assert.match(String(entries[0]?.detail['why']), /no-such-program: command not found/);
  assert.equal((await entriesOf(me, 'run.unstarted')).length, 1, 'a shell that says 127 has run');
});

test('what is held is no start; the start comes with the approval, once, and with who decided', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const agent = await tokenOf(rig, 'ci', ['read', 'run']);
  const { body: held } = await agent.post('/api/v1/runs', { argv: ['/usr/bin/touch', 'made'] });
  assert.equal(held.status, 'approval-pending');
  assert.deepEqual(await entriesOf(me, 'run.start'), []);
  const [asked] = await entriesOf(me, 'run.held');
  assert.deepEqual([asked?.actor, asked?.target], [`token:${agent.id}`, held.runId]);
  assert.deepEqual(asked?.detail, {
    who: 'ci',
    host: 'local',
    command: '/usr/bin/touch made',
    approval: held.approvalId,
  });
  const decision = { decision: 'allow-always', reason: 'fine' };
  const decided = await me.post(`/api/v1/approvals/${held.approvalId}`, decision);
  assert.equal(decided.status, 200, JSON.stringify(decided.body));
  await me.untilEnded(held.runId);
  const { body: rules } = await me.get('/api/v1/approval-rules');
  const [start] = await entriesOf(me, 'run.start', 1);
  const { started_at: _at, ...detail } = start?.detail ?? {};
  assert.deepEqual([start?.actor, start?.target], [`token:${agent.id}`, held.runId]);
  assert.deepEqual(detail, {
    who: 'ci',
    host: 'local',
    command: '/usr/bin/touch made',
    allowed_by: 'approval',
    approval: held.approvalId,
    decided_by: `device:${rig.owner.deviceId}`,
  });
  const [decide, ...twice] = await entriesOf(me, 'approval.decide');
  assert.deepEqual(
    [twice, decide?.ip, decide?.detail],
    [
      [],
      '127.0.0.1',
      {
        who: 'test',
        decision: 'allow-always',
        run_id: held.runId,
        host: 'local',
        command: '/usr/bin/touch made',
        asked_by: `token:${agent.id}`,
        reason: 'fine',
        rules: [rules.items[0].id],
        programs: ['/usr/bin/touch'],
      },
    ],
  );
  const again = await agent.post('/api/v1/runs', { argv: ['/usr/bin/touch', 'made'] });
  assert.ok('runId' in again.body);
  const starts = await entriesOf(me, 'run.start', 2);
  assert.deepEqual(starts.at(-1)?.detail['rules'], [rules.items[0].id]);
  assert.equal(starts.length, 2);
});

test('a decision at a terminal of the machine is in the log of its owner, with what came of it', async () => {
  await using rig = await openTestGateway();
  const { stateDir } = rig.config;
  const me = callerOf(rig.url, rig.owner.token);
  const other = callerOf(rig.url, rig.other.token);
  const held = await askHere(stateDir, ['/usr/bin/touch', join(rig.directory, 'made')]);
  const outcome = await decideHere(stateDir, held.approvalId, { decision: 'allow-always' });
  assert.ok(outcome.kind === 'decided');
  const ruleId = outcome.rules[0]?.ruleId ?? '';
  const [decided] = await entriesOf(me, 'approval.decide', 1);
  assert.deepEqual([decided?.actor, decided?.target], ['cli:ann', held.approvalId]);
  const { decision, asked_by: askedBy, account, rules, programs } = decided?.detail ?? {};
  assert.deepEqual([decision, askedBy, account], ['allow-always', 'mcp:test', 'local']);
  assert.deepEqual([rules, programs], [[ruleId], ['/usr/bin/touch']]);
  const denied = await askHere(stateDir, ['/usr/bin/rm', 'x'], { account: 'cli' });
  await decideHere(stateDir, denied.approvalId, { decision: 'deny', reason: 'no' });
  const [, second] = await entriesOf(me, 'approval.decide', 2);
  assert.deepEqual([second?.detail['command'], second?.detail['reason']], ['/usr/bin/rm x', 'no']);
  // An agent with a token sees nothing of what a person does at a terminal.
  const reader = await tokenOf(rig, 'reader', ['admin']);
  const [shown, hidden] = await entriesOf(reader, 'approval.decide', 2);
  assert.match(String(shown?.detail['command']), /touch/);
  assert.equal(hidden?.detail['command'], null);
  await revokeHere(stateDir, ruleId);
  const [revoked] = await entriesOf(me, 'rule.revoke', 1);
  assert.deepEqual([revoked?.actor, revoked?.target], ['cli:ann', ruleId]);
  assert.equal(revoked?.detail['program'], '/usr/bin/touch');
  for (const action of ['approval.decide', 'rule.revoke', 'run.start']) {
    assert.deepEqual(await entriesOf(other, action), []);
  }
});

test('what was decided while no gateway ran is in the log of the next one, and nothing is in it twice', async () => {
  await using directory = await makeTemporary();
  const stateDir = join(directory.path, 'state');
  const count = async (me: ApiCaller, decisions: number): Promise<readonly (readonly string[])[]> =>
    (await entriesOf(me, 'approval.decide', decisions)).map(({ target }) => [target]);
  const asked: string[] = [];
  {
    await using gateway = await startGatewayProcess(directory.path);
    const held = await askHere(stateDir, ['/usr/bin/touch', join(directory.path, 'one')]);
    asked.push(held.approvalId);
    await decideHere(stateDir, held.approvalId, { decision: 'deny' });
    await count(gateway.me, 1);
    await gateway.end('SIGKILL');
  }
  // As if it had been killed between the entry and the mark.
  const store = await openApprovals({ stateDir });
  await store.write((tx) => tx.tellApproval(asked[0] ?? '', 'pending'));
  await store.close();
  const held = await askHere(stateDir, ['/usr/bin/touch', join(directory.path, 'two')]);
  asked.push(held.approvalId);
  await decideHere(stateDir, held.approvalId);
  await using gateway = await startGatewayProcess(directory.path);
  await entriesOf(gateway.me, 'run.start', 1);
  await gateway.me.untilEnded(held.runId);
  assert.deepEqual(
    await count(gateway.me, 2),
    asked.map((id) => [id]),
  );
  const [start, ...more] = await entriesOf(gateway.me, 'run.start');
  assert.deepEqual([start?.target, start?.actor, more], [held.runId, 'mcp:test', []]);
  assert.deepEqual(
    [start?.detail['approval'], start?.detail['decided_by']],
    [held.approvalId, 'cli:ann'],
  );
});
