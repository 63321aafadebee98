/*
 * A token decides no command of an agent that its own prompt led to, over any door: such a request comes from a process and carries no
 * credential, so the run that the process is in says who led to it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedInLabel, noRun, unknownRun } from '@clawdfather/supervisor/origins';
import { createRpc } from '../acp/rpc-client.ts';
import { createTalk } from '../agents/talk.ts';
import { agentKeyFor } from '../fixtures/agent-key-for.ts';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { askHere } from '../fixtures/local-agent.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket, startRun } from '../socket/fixtures.ts';

const words = 'a token does not answer what its own prompt led to';

async function tokenOf(rig: TestGateway, label: string) {
  const body = { label, scopes: ['read', 'run', 'approve'] };
  const { token } = (await callerOf(rig.url, rig.owner.token).post('auth/tokens', body)).body;
  return { token: String(token), ...callerOf(rig.url, token) };
}

/* What an agent asks for that is in this run; undefined: it does not say. */
async function askIn(rig: TestGateway, askedIn: string | undefined): Promise<string> {
  const labels = askedIn === undefined ? undefined : { [askedInLabel]: askedIn };
  const held = await askHere(
    rig.config.stateDir,
    ['/usr/bin/touch', `${rig.directory}/made`],
    labels === undefined ? {} : { labels },
  );
  return held.approvalId;
}

async function decide(who: ApiCaller, id: string): Promise<readonly [number, string]> {
  const { status, body } = await who.post(`approvals/${id}`, { decision: 'deny' });
  return [status, body.error?.message ?? body.approval.state];
}

/* The run of the agent that asks something in this thread. */
async function agentRunOf(rig: TestGateway, threadId: string): Promise<string> {
  const talk = createTalk(() => callerOf(rig.url, rig.owner.token));
  talk.takeUp(threadId);
  await talk.until(({ type }) => type === 'approval');
  return (await createRpc(rig.url, rig.owner.token).result('tasks.get', { threadId })).runId;
}

test('the token whose prompt started the agent is refused over every door, others are not', async () => {
  await using rig = await openTestGateway();
  const person = callerOf(rig.url, rig.owner.token);
  const [mine, other] = [await tokenOf(rig, 'prompts'), await tokenOf(rig, 'decides')];
  const talk = createTalk(() => mine);
  await talk.begin();
  await talk.say('ask: something');
  const runId = await agentRunOf(rig, talk.id());
  const id = await askIn(rig, runId);
  assert.deepEqual(await decide(mine, id), [403, words]);
  await using socket = await openRunSocket(rig, await startRun(rig, { command: 'cat' }), {
    token: mine.token,
  });
  socket.send({ type: 'approve', approval_id: id, decision: 'deny' });
  assert.equal((await socket.next('error')).code, 'forbidden');
  assert.equal((await person.get(`approvals/${id}`)).body.state, 'pending');
  assert.deepEqual(await decide(other, id), [200, 'denied']);
  const again = await askIn(rig, runId);
  assert.deepEqual(await decide(person, again), [200, 'denied']);
});

test('through an agent that prompted another, and through runs that agents started', async () => {
  await using rig = await openTestGateway({ runs: { allow: ['/usr/bin/cat'] } });
  const [mine, other] = [await tokenOf(rig, 'prompts'), await tokenOf(rig, 'decides')];
  const parent = await agentKeyFor(rig, rig.owner);
  await mine.post(`threads/${parent.thread.id}/turns`, { text: 'spawn one' });
  const agent = callerOf(rig.url, parent.key);
  const key = { 'idempotency-key': 'a' };
  const spawned = await agent.post('agent/sessions', { task: 'ask: something' }, key);
  const child = await agentRunOf(rig, spawned.body['session'].session_key);
  const asked = await askIn(rig, child);
  assert.deepEqual(await decide(mine, asked), [403, words]);
  assert.deepEqual(await decide(other, asked), [200, 'denied']);
  const { runId } = (await mine.post('runs', { command: 'cat' })).body;
  const inOwn = await askIn(rig, runId);
  assert.deepEqual(await decide(mine, inOwn), [403, words]);
  assert.deepEqual(await decide(other, inOwn), [200, 'denied']);
});

test('doubt refuses every token and no person; what a person led to, any token decides', async () => {
  await using rig = await openTestGateway();
  const person = callerOf(rig.url, rig.owner.token);
  const token = await tokenOf(rig, 'decides');
  for (const askedIn of [undefined, unknownRun, '0123456789abcdef']) {
    const id = await askIn(rig, askedIn);
    assert.deepEqual(await decide(token, id), [403, words], askedIn);
    assert.deepEqual(await decide(person, id), [200, 'denied'], askedIn);
  }
  for (const askedIn of [noRun, await startRun(rig, { command: 'cat' })]) {
    assert.deepEqual(await decide(token, await askIn(rig, askedIn)), [200, 'denied'], askedIn);
  }
});
