/*
 * A shell script as the agent of a real gateway that is killed in the middle of its answer: nothing is missed, nothing comes twice, and what
 * happened meanwhile is told. And what records have of such an agent.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AgentConfig } from '../../src/gateway-config.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { createTalk, isEndOf } from './talk.ts';

/* Says half of it, waits until it may go on, and says the rest; `fail` says nothing but its code. */
const words = `case "$1" in fail) exit 4;; esac
seq -f "word-%.0f" 1 3000
until [ -e "$HOME/go" ]; do sleep 0.05; done
seq -f "word-%.0f" 3001 6000`;

const agent: AgentConfig = {
  name: 'echo',
  command: ['/bin/sh', '-c', words, 'agent'],
  once: { prompt: 'argument' },
};

test('a gateway that is killed in the middle of the output goes on where it was', {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-once-'));
  const config = { agents: { named: [agent] } };
  let gateway = await startGatewayProcess(directory, config);
  try {
    const talk = createTalk(() => gateway.me);
    await talk.begin();
    const turn = await talk.say('count');
    await talk.until(({ type }) => type === 'delta');
    await gateway.end('SIGKILL');
    // The rest is said while no gateway is alive.
    await writeFile(join(directory, 'go'), '');
    gateway = await startGatewayProcess(directory, config);
    assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
    const expected = Array.from({ length: 6000 }, (_, index) => `word-${index + 1}\n`).join('');
    assert.equal(talk.textOf(turn), expected);
    const failed = await talk.until(isEndOf(await talk.say('fail')));
    assert.equal(failed.payload['event'], 'failed');
  } finally {
    await gateway.end('SIGKILL');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});

test('the prompt of such an agent is in no record of its run; a cancel ends it', async () => {
  const prompt = 'between-you-and-me';
  await using rig = await openTestGateway({ config: { agents: { named: [agent] } } });
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say(prompt);
  await talk.until(({ type }) => type === 'delta');
  const files = await readdir(rig.config.stateDir, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile())) {
    const bytes = await readFile(join(file.parentPath, file.name));
    assert.ok(!bytes.includes(prompt), `${file.name} has no prompt`);
  }
  const { body } = await me.post(`turns/${turn}/cancel`);
  assert.equal(body['accepted'], true);
  assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'cancelled');
});
