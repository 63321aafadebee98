/*
 * An agent in its shield calls the tools about other sessions through the relay: it spawns another agent and is woken once, whenever the
 * gateway is killed; and it finds no key, and nothing that is not its own.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createSystemClock } from '@clawdfather/kit';
import { type Client, createClient } from '@clawdfather/sdk';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { createGatewayRig, endOf, type GatewayRig } from '../support/gateway-rig.ts';
import { createMcpRig, eras } from '../support/mcp-rig.ts';

const { landlock, hasNamespaces } = await readConfinementSupport(shimBinaryPath());
const skip = landlock < 6 || !hasNamespaces ? 'the whole shield cannot be had here' : false;
const agentPath = fileURLToPath(new URL('../fixtures/calling-agent.mjs', import.meta.url));
const toolNames = ['list', 'history', 'status', 'send', 'spawn'].map((name) => `sessions_${name}`);

interface World {
  readonly rig: GatewayRig;
  readonly project: string;
  /* Killed, and another one comes. */
  readonly restart: () => Promise<void>;
  readonly client: () => Client;
}

async function openWorld(t: TestContext): Promise<World> {
  const rig = createGatewayRig(t);
  const project = `${rig.stateDir}-project`;
  mkdirSync(project);
  rig.env['CLAWDFATHER_AGENTS'] = JSON.stringify({
    calling: { command: [process.execPath, agentPath], env: { PROMPTS: join(project, 'prompts') } },
  });
  Object.assign(rig.env, {
    CLAWDFATHER_POLICY_MCP_SECURITY: 'full',
    CLAWDFATHER_POLICY_MCP_ASK: 'off',
  });
  let serving = await rig.serve();
  assert.equal((await rig.clf('login')).code, 0);
  return {
    rig,
    project,
    restart: async () => {
      serving.child.kill('SIGKILL');
      await endOf(serving);
      serving = await rig.serve();
    },
    client: () => createClient({ baseUrl: serving.url, token: tokenOf(rig) }),
  };
}

function tokenOf(rig: GatewayRig): string {
  const path = join(rig.env['XDG_CONFIG_HOME'] ?? '', 'clawdfather', 'gateways.json');
  const { gateways } = JSON.parse(readFileSync(path, 'utf8')) as { gateways: { token: string }[] };
  return gateways[0]?.token ?? '';
}

/* What the agent said in the turn, once that has ended. Another gateway may answer meanwhile. */
async function answerOf(client: () => Client, threadId: string, turnId: string): Promise<string> {
  const named = { params: { id: threadId } };
  let after = 0;
  let said = '';
  for (;;) {
    const query = { after, limit: 200, wait_ms: 5_000 };
    const page = await client()
      .threads.events({ ...named, query })
      .catch(() => undefined);
    for (const { seq, type, turn_id: of, payload } of page?.items ?? []) {
      after = seq;
      if (of !== turnId) continue;
      if (type === 'delta') said += String(payload['text']);
      if (type === 'status' && payload['result'] !== undefined) return said;
    }
  }
}

/* Until there are so many turns in the thread, all ended. */
async function turnsOf(client: () => Client, threadId: string, count: number) {
  for (;;) {
    const { turns } = await client().threads.get({ params: { id: threadId } });
    if (turns.length >= count && turns.every(({ ended_at: at }) => at !== null)) return turns;
    const { thread } = await client().threads.get({ params: { id: threadId } });
    const query = { after: thread.last_seq, limit: 1, wait_ms: 1_000 };
    await client().threads.events({ params: { id: threadId }, query });
  }
}

test('an agent in a shield has the five tools, spawns another, and is woken once; it finds no key', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { rig, project, client } = await openWorld(t);
  const { thread } = await client().threads.create({ body: { directory: project } });
  const say = async (text: string): Promise<string> => {
    const { turn } = await client().threads.prompt({ params: { id: thread.id }, body: { text } });
    return answerOf(client, thread.id, turn.id);
  };
  const { tools } = JSON.parse(await say('call: tools/list')) as { tools: { name: string }[] };
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['exec', 'process', ...toolNames],
  );
  const spawned = await say('call: sessions_spawn {"task":"count to three"}');
  const { session, receipt } = JSON.parse(spawned) as Spawned;
  assert.equal(session.parent_session_key, thread.id);
  const turns = await turnsOf(client, thread.id, 3);
  assert.equal(turns.length, 3, 'two that were asked for, and one that woke it');
  const heard = readFileSync(join(project, 'prompts'), 'utf8').trim().split('\n');
  const wakes = heard.filter((line) => line.includes('A notice, which no person wrote'));
  assert.equal(wakes.length, 1);
  assert.match(wakes[0] ?? '', /count to three/);
  const status = JSON.parse(await say(`call: sessions_status {"receipt":"${receipt.receipt}"}`));
  assert.equal(status.receipt.state, 'ended');
  const history = await say(`call: sessions_history {"session":"${session.session_key}"}`);
  assert.match(history, /count to three/);
  const listed = JSON.parse(await say('call: sessions_list {}'));
  assert.equal(listed.own_session_key, thread.id);
  assert.equal(listed.items.length, 2);
  const sent = await say(
    `call: sessions_send {"session":"${session.session_key}","text":"and four"}`,
  );
  assert.equal(JSON.parse(sent).receipt.session_key, session.session_key);
  // Outside of the shield it is a file that nobody else reads; inside, the directory is not there.
  const keys = join(rig.stateDir, 'agent-keys');
  const [name = ''] = readdirSync(keys);
  assert.equal(statSync(join(keys, name)).mode & 0o777, 0o600);
  const key = readFileSync(join(keys, name), 'utf8');
  const look = `cat ${keys}/* 2>&1; env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'; true`;
  const params = { argv: ['sh', '-c', look] };
  const seen = await say(`call: exec ${JSON.stringify(params)}`);
  assert.ok(!seen.includes(key.slice(0, 30)));
});

interface Spawned {
  readonly session: { readonly session_key: string; readonly parent_session_key: string };
  readonly receipt: { readonly receipt: string };
}

test('a gateway that is killed in the middle of a call is not noticed but for the wait', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { project, restart, client } = await openWorld(t);
  const { thread } = await client().threads.create({ body: { directory: project } });
  const slow = 'call: exec {"command":"touch began; sleep 2"}';
  const text = `${slow}\ncall: sessions_spawn {"task":"work on","key":"mine"}\ncall: sessions_list {}`;
  const { turn } = await client().threads.prompt({ params: { id: thread.id }, body: { text } });
  // Its first tool runs; the gateway is gone when it wants the second.
  await untilThere(join(project, 'began'));
  await restart();
  const said = (await answerOf(client, thread.id, turn.id)).trim().split('\n');
  const spawned = JSON.parse(said[1] ?? '{}') as Spawned;
  assert.equal(spawned.session.parent_session_key, thread.id, said.join('\n'));
  assert.equal(JSON.parse(said[2] ?? '{}').items.length, 2);
  assert.equal((await turnsOf(client, thread.id, 2)).length, 2, 'and one that woke it');
});

async function untilThere(path: string): Promise<void> {
  const clock = createSystemClock();
  while (!existsSync(path)) await clock.sleep(20);
}

test('killed while the child is made, works or has just ended: the parent is woken once', {
  skip,
  timeout: 240_000,
}, async (t) => {
  const { project, restart, client } = await openWorld(t);
  const prompts = join(project, 'prompts');
  const heard = (text: string): number =>
    readFileSync(prompts, 'utf8')
      .split('\n')
      .filter((line) => line.includes(text)).length;
  const moments = ['asked', 'works', 'ended'] as const;
  for (const moment of moments) {
    const { thread } = await client().threads.create({ body: { directory: project } });
    const mark = join(project, moment);
    const task = `call: exec ${JSON.stringify({ command: `touch ${mark}; sleep 1; touch ${mark}.done` })}`;
    const text = `call: sessions_spawn ${JSON.stringify({ task, title: moment })}`;
    const { turn } = await client().threads.prompt({ params: { id: thread.id }, body: { text } });
    if (moment === 'works') await untilThere(mark);
    if (moment === 'ended') await untilThere(`${mark}.done`);
    await restart();
    const { receipt } = JSON.parse(await answerOf(client, thread.id, turn.id)) as Spawned;
    assert.equal((await turnsOf(client, thread.id, 2)).length, 2, moment);
    assert.equal(heard(`Receipt ${receipt.receipt}: `), 1, moment);
  }
});

test('the five tools with the protocol’s own client, in both eras', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { rig, project, client } = await openWorld(t);
  const { thread } = await client().threads.create({ body: { directory: project } });
  const { turn } = await client().threads.prompt({
    params: { id: thread.id },
    body: { text: 'hello' },
  });
  await answerOf(client, thread.id, turn.id);
  const keys = join(rig.stateDir, 'agent-keys');
  const [name = ''] = readdirSync(keys);
  const { connect } = createMcpRig(t, rig);
  const env = { CLAWDFATHER_AGENT_KEY_FILE: join(keys, name) };
  for (const era of eras) {
    const agent = await connect({ era, env, cwd: project });
    const { tools } = await agent.client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name).filter((tool) => tool.startsWith('sessions_')),
      toolNames,
    );
    const spawned = await agent.call('sessions_spawn', { task: `hello ${era}`, wake: false });
    const { session, receipt } = spawned.data as unknown as Spawned;
    const again = { session: session.session_key, text: 'more', key: 'k' };
    const first = (await agent.call('sessions_send', again)).data as unknown as Spawned;
    const second = (await agent.call('sessions_send', again)).data as unknown as Spawned;
    assert.equal(first.receipt.receipt, second.receipt.receipt);
    const reused = await agent.call('sessions_send', { ...again, text: 'other' });
    assert.match(JSON.stringify(reused), /this key belongs to another call/);
    for (const params of [{ session: session.session_key }, { receipt: receipt.receipt }]) {
      const status = await agent.call('sessions_status', params);
      assert.match(JSON.stringify(status.data), new RegExp(session.session_key));
    }
    const neither = await agent.call('sessions_status', {});
    assert.match(JSON.stringify(neither), /give either session or receipt/);
    const missing = await agent.call('sessions_history', { session: '0123456789abcdef' });
    assert.match(JSON.stringify(missing), /no such session or receipt, or you do not see it/);
    const listed = await agent.call('sessions_list', {});
    assert.equal((listed.data as { own_session_key?: string }).own_session_key, thread.id);
    await agent.client.close();
  }
  // Without a key they are not there.
  const plain = await connect({ cwd: project });
  const { tools } = await plain.client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['exec', 'process'],
  );
  await plain.client.close();
});
