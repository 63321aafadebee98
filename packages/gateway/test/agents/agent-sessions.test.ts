/*
 * Sessions that are started with an agent: what it is told, who may have one, and that the agent ends with its session, whoever ends it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decideOn } from '@clawdfather/sessions';
import { createProcProcessTable } from '@clawdfather/supervisor';
import { fakeAgentCommand } from '@clawdfather/testkit';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, systemDeps, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { openGateway } from '../../src/open-gateway.ts';
import { createTalk, isEndOf } from './talk.ts';

const table = createProcProcessTable();
const lives = (pid: number): boolean => {
  const reading = table.read(pid);
  return reading.kind === 'found' && !reading.isZombie;
};

async function startedWith(rig: TestGateway) {
  const me = callerOf(rig.url, rig.owner.token);
  const { status, body } = await me.post('sessions', { agent: 'echo' });
  assert.equal(status, 201, JSON.stringify(body));
  const { session } = body;
  const threads = rig.gateway.store.forAccount(rig.owner.accountId).threads;
  const rows = await threads.load(session.agent_session_id);
  assert.ok(rows?.run?.process);
  const talk = createTalk(() => me);
  talk.takeUp(session.agent_session_id);
  return { me, session, threads, talk, run: rows.run, pid: rows.run.process.rootPid };
}

test('a session with an agent is active when the agent runs, and tells it where it is', async () => {
  await using rig = await openTestGateway();
  const { me, session, talk, run, pid } = await startedWith(rig);
  assert.deepEqual([session.status, session.agent], ['active', 'echo']);
  const environ = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const valueOf = (name: string): string =>
    environ.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  assert.deepEqual(JSON.parse(valueOf('CLAWDFATHER_CONTEXT')), {
    connection_id: null,
    host: null,
    port: null,
    username: null,
    keypair_id: null,
    session_lease_id: session.id,
    control_path: null,
  });
  assert.equal(valueOf('CLAWDFATHER_LEASE_ID'), run.leaseId);
  assert.equal(valueOf('CLAWDFATHER_COMMAND_HASH'), run.commandHash);
  assert.equal(valueOf('CLAWDFATHER_GATEWAY_INSTANCE_ID'), run.instanceId);
  assert.equal(run.programPath, process.execPath);
  const turn = await talk.say('hello');
  await talk.until(isEndOf(turn));
  const { thread, turns } = (await me.get(`threads/${talk.id()}`)).body;
  assert.deepEqual([thread.session_id, turns[0].run_id], [session.id, run.runId]);
});

test('closing a session ends its agent and says goodbye; the thread goes on in another one', async () => {
  await using rig = await openTestGateway();
  const { me, session, threads, talk, pid } = await startedWith(rig);
  assert.equal((await me.delete(`sessions/${session.id}`)).status, 200);
  await talk.until(({ payload }) => payload['event'] === 'agent-ended');
  assert.equal(lives(pid), false);
  const [lease] = await threads.endedRuns(talk.id());
  assert.deepEqual([lease?.state, lease?.closing?.reason], ['closed', 'session-closed']);
  const turn = await talk.say('still there?');
  assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
  const { thread } = (await me.get(`threads/${talk.id()}`)).body;
  assert.notEqual(thread.session_id, session.id);
});

test('a thread that was read to its end stays so when its agent is closed: nothing is unread, and the inbox names it not', async () => {
  await using rig = await openTestGateway();
  const { me, session, talk } = await startedWith(rig);
  const turn = await talk.say('hello');
  await talk.until(isEndOf(turn));
  const threadNow = async () => (await me.get(`threads/${talk.id()}`)).body['thread'];
  const { last_seq: read } = await threadNow();
  assert.equal((await me.post(`threads/${talk.id()}/seen`, { seq: read })).status, 200);
  assert.equal((await me.delete(`sessions/${session.id}`)).status, 200);
  const { seq } = await talk.until(({ payload }) => payload['event'] === 'agent-ended');
  assert.ok(seq > read);
  const thread = await threadNow();
  assert.equal(thread.seen_seq, thread.last_seq);
  assert.deepEqual((await me.get('inbox')).body['went_on'], []);
  const receipt = await me.get(`threads/${talk.id()}/receipt?since=${thread.seen_seq}`);
  assert.equal(receipt.body['events'], 0);
});

test('a session that ended while no gateway was there: its agent ends with the next start', async () => {
  await using rig = await openTestGateway();
  const { session, talk, pid } = await startedWith(rig);
  const { sessions } = rig.gateway.store.forAccount(rig.owner.accountId);
  const stored = await sessions.get(session.id);
  assert.ok(stored);
  const { epoch, clientHeartbeatAtMs: seenAtMs } = stored;
  // As the clean-up of another gateway does it, which cannot reach this machine.
  await sessions.change(
    session.id,
    decideOn({ type: 'idle', epoch, seenAtMs }, { actor: 'cleanup' }),
  );
  await rig.gateway.close();
  assert.equal(lives(pid), true, 'a stop ends no agent');
  await using next = await openGateway(rig.config, systemDeps());
  const { threads } = next.store.forAccount(rig.owner.accountId);
  for (let after = 0; ; ) {
    const events = await threads.events(talk.id(), { after, limit: 100 });
    if (events.some(({ payload }) => payload['event'] === 'agent-ended')) break;
    after = events.at(-1)?.seq ?? after;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(lives(pid), false);
  assert.equal((await threads.endedRuns(talk.id()))[0]?.closing?.reason, 'session-over');
});

test('an agent that does not start leaves a failed session, no process and no open thread', async () => {
  const agents = {
    named: [{ name: 'gone', command: ['/nowhere/agent'] as const }],
  };
  await using rig = await openTestGateway({ config: { agents } });
  const me = callerOf(rig.url, rig.owner.token);
  const { status, body } = await me.post('sessions', { agent: 'gone' });
  assert.deepEqual([status, body['error'].code], [502, 'agent_spawn_failed'], JSON.stringify(body));
  const [session] = (await me.get('sessions')).body['items'];
  assert.deepEqual([session.status, session.error.code], ['error', 'agent_spawn_failed']);
  assert.equal((await me.get('threads')).body['total'], 0);
  const metrics = await (await rig.request('/metrics')).text();
  assert.match(metrics, /^clawdfather_session_error_total\{error_type="agent_spawn"\} 1$/m);
});

test('refused: an agent that is not there, and that of a member without a Unix user', async () => {
  const agents = { named: [{ name: 'echo', command: fakeAgentCommand() }] };
  await using rig = await openTestGateway({ config: { agents } });
  const me = callerOf(rig.url, rig.owner.token);
  const unknown = await me.post('sessions', { agent: 'nobody' });
  assert.equal(unknown.body['error'].code, 'validation_error');
  const missing = await me.post('sessions', { agent: 'claude' });
  assert.equal(missing.body['error'].code, 'unsupported');
  assert.equal((await me.get('sessions')).body['total'], 0, 'neither leaves a row');
  const member = callerOf(rig.url, rig.other.token);
  const refused = await member.post('sessions', { agent: 'echo' });
  assert.deepEqual([refused.status, refused.body['error'].code], [403, 'forbidden']);
  assert.match(refused.body['error'].hint, /Unix user of your own/);
});
