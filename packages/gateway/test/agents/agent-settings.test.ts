/*
 * What the settings say of an agent reaches its process: variables, limits, the directory of a new thread. And none of the values is told
 * to anybody else.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeAgentCommand } from '@clawdfather/testkit';
import type { AgentConfig } from '../../src/gateway-config.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { createTalk, isEndOf } from './talk.ts';

const secret = 'not-for-anybody-else';

/* Notes what it was given, then answers. */
function noting(more: Partial<AgentConfig>): AgentConfig {
  const note =
    'printf "%s\\n" "$KEY" "$PWD" "$(ulimit -t)" "$(ulimit -n)" > "$HOME/noted"; exec "$@"';
  return { name: 'echo', command: ['sh', '-c', note, 'sh', ...fakeAgentCommand()], ...more };
}

test('variables, limits and the directory of an agent reach its run; values are told nowhere', async (t) => {
  const cwd = await mkdtemp(join(tmpdir(), 'clf-work-'));
  t.after(() => rm(cwd, { recursive: true }));
  const limits = { cpuSeconds: 4321, openFiles: 200 };
  const agent = noting({ env: { KEY: secret }, cwd, limits, timeoutMs: 3_600_000 });
  await using rig = await openTestGateway({ config: { agents: { named: [agent] } } });
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say('hello');
  assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
  const noted = await readFile(join(rig.directory, 'noted'), 'utf8');
  assert.deepEqual(noted.split('\n'), [secret, cwd, '4321', '200', '']);

  const { body: thread } = await me.get(`threads/${talk.id()}`);
  assert.equal(thread['thread'].directory, cwd);
  const runId = thread['turns'][0].run_id;
  const told = [
    thread,
    ...(await Promise.all(
      ['agents', 'runs', `runs/${runId}`, 'audit'].map(async (path) => (await me.get(path)).body),
    )),
  ];
  assert.ok(!JSON.stringify(told).includes(secret), 'no answer has the value');
  assert.ok(!JSON.stringify(talk.events).includes(secret));
  const files = await readdir(rig.directory, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile() && one.name !== 'noted')) {
    const bytes = await readFile(join(file.parentPath, file.name));
    assert.ok(!bytes.includes(secret), `${file.name} has no value`);
  }
});

test('a limit that this machine cannot enforce ends the turn before anything starts, and says why', async () => {
  const agent = noting({ limits: { memoryBytes: 1 << 30 } });
  await using rig = await openTestGateway({ config: { agents: { named: [agent] } } });
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const end = await talk.until(isEndOf(await talk.say('hello')));
  assert.equal(end.payload['event'], 'failed');
  const { message } = end.payload['result'] as { message: string };
  assert.match(message, /limits of memory and processes need a delegated cgroup/);
});

test('a directory that is named wins over the one of the settings', async () => {
  await using rig = await openTestGateway({
    config: { agents: { named: [noting({ cwd: '/' })] } },
  });
  const me = callerOf(rig.url, rig.owner.token);
  const { body } = await me.post('threads', { agent: 'echo', directory: rig.directory });
  assert.equal(body['thread'].directory, rig.directory);
  const { body: usual } = await me.post('threads', { agent: 'echo' });
  assert.equal(usual['thread'].directory, '/');
});

test('a conversation in a directory that is not there is refused, and none is made', async () => {
  await using rig = await openTestGateway({ config: { agents: { named: [noting({})] } } });
  const me = callerOf(rig.url, rig.owner.token);
  for (const directory of ['/no/where', '/etc/hostname/below']) {
    const { status, body } = await me.post('threads', { agent: 'echo', directory });
    assert.deepEqual([status, body['error'].code], [400, 'validation_error'], directory);
    assert.match(body['error'].message, /is not a directory on the gateway’s machine/);
  }
  assert.equal((await me.get('threads')).body['total'], 0);
});

test('an agent whose program is not there is not called installed', async () => {
  const named = [
    noting({}),
    { name: 'gone', command: ['/no/such/agent', '--acp'] as const },
    { name: 'unknown', command: ['no-such-agent-anywhere'] as const },
  ];
  await using rig = await openTestGateway({ config: { agents: { named } } });
  const me = callerOf(rig.url, rig.owner.token);
  const { items } = (await me.get('agents')).body;
  const seen = new Map(
    items.map((one: { name: string; is_installed: boolean }) => [one.name, one.is_installed]),
  );
  assert.deepEqual(
    ['echo', 'gone', 'unknown'].map((name) => seen.get(name)),
    [true, false, false],
  );
});
