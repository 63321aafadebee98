/*
 * Real agents, installed from the registry and talking to the fake model: text, then a tool with permission, then another turn of the
 * same session.
 *
 * `npm test` takes opencode; `npm run test:agents:long` takes all of them (1.5 GB, kept in the cache directory). What it measures is
 * in docs/agents.md.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import {
  builtInAgents,
  findEntry,
  type InstalledAgent,
  installAgent,
  readPlatform,
  resolveAgent,
  verifyInstalled,
} from '@clawdfather/agents';
import { createSystemRandom } from '@clawdfather/kit';
import {
  type AcpByHand,
  createNonce,
  type FakeModelAgent,
  fakeModelAgents,
  fakeModelSetting,
  openAcpSession,
  openFakeModel,
  promptAcp,
  sayModel,
  saySeeded,
  startAcpByHand,
  wholeText,
} from '@clawdfather/testkit';

const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'clawdfather');
const random = createSystemRandom();
const chosen: readonly FakeModelAgent[] =
  process.env['AGENTS'] === 'all' ? fakeModelAgents : ['opencode'];

for (const name of chosen) {
  test(`${name} is installed, starts, and says what the model says`, async (t) => {
    const installed = await install(name);
    assert.deepEqual(await verifyInstalled(installed), []);
    await using model = await openFakeModel();
    // Not below /tmp: codex runs no tool there.
    const home = mkdtempSync(join(cache, 'home-'));
    t.after(() => rmSync(home, { recursive: true, maxRetries: 5 }));
    const cwd = join(home, 'work');
    mkdirSync(cwd);
    const setting = fakeModelSetting(name, { url: model.url, home });
    for (const [path, text] of Object.entries(setting.files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const { argv, env } = resolveAgent(name, {}, installed);
    const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
    const start = { argv, env: { HOME: home, PATH: path, ...env, ...setting.env }, cwd };
    await using agent = startAcpByHand(start);
    const sessionId = await openAcpSession(agent, { cwd, authMethod: setting.authMethod });

    const first = createNonce(random);
    const seeded = [[saySeeded(7, 60)]];
    model.script(first, seeded);
    assert.equal(await turn(agent, sessionId, first), wholeText(seeded).text);
    assert.equal(model.log.of(first).length, 1);

    const second = createNonce(random);
    const command = 'echo once >> proof.txt';
    model.script(second, [
      [sayModel('before '), { kind: 'shell', command, asks: true }],
      [{ kind: 'gate', name: 'after the tool' }, sayModel('after')],
    ]);
    const answer = turn(agent, sessionId, second);
    await model.gates.reached('after the tool');
    assert.equal(readFileSync(join(cwd, 'proof.txt'), 'utf8'), 'once\n');
    model.gates.release('after the tool');
    assert.equal(await answer, 'before after');
    const rounds = model.log.of(second).map(({ round }) => round);
    assert.deepEqual(rounds, [0, 1]);
    assert.ok(model.log.of(second)[0]?.nonces.includes(first), 'it remembers the first turn');
    const asked = agent.received.filter(({ method }) => method === 'session/request_permission');
    assert.equal(asked.length, 1);
  });
}

function install(name: string): Promise<InstalledAgent> {
  return installAgent(findEntry(name, builtInAgents), {
    directory: join(cache, 'agents'),
    platform: readPlatform(),
    node: process.execPath,
    env: process.env,
    random,
  });
}

/* The text of this turn alone. */
async function turn(agent: AcpByHand, sessionId: string, nonce: string): Promise<string> {
  const before = agent.text().length;
  const { stopReason } = await promptAcp(agent, sessionId, `Answer. ${nonce}`);
  assert.equal(stopReason, 'end_turn');
  return agent.text().slice(before);
}
