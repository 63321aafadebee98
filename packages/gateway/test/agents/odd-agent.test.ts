/*
 * Agents that do what they should not, at a gateway with its real database: they ask outside of a turn, and say what can hardly be stored.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  askPermission,
  endTurn,
  expectInitialize,
  expectNew,
  fakeAgentCommand,
  gate,
  onPrompt,
  raw,
  say,
  script,
  type Steps,
  update,
  writeScript,
} from '@clawdfather/testkit';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { createTalk, isEndOf } from './talk.ts';

function playing(t: TestContext, steps: readonly Steps[]) {
  const directory = mkdtempSync(join(tmpdir(), 'clf-odd-agent-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const played = script([expectInitialize(), expectNew(), ...steps]);
  const file = writeScript(join(directory, 'script'), played);
  const command = fakeAgentCommand({ script: file, gates: directory });
  return { config: { agents: { named: [{ name: 'odd', command }] } } };
}

test('a token does not answer what its own prompt led to, also when the agent asks after its turn', async (t) => {
  const steps = [onPrompt([say('done'), endTurn()]), askPermission('rm x'), gate('never')];
  await using rig = await openTestGateway(playing(t, steps));
  const me = callerOf(rig.url, rig.owner.token);
  const made = { label: 'agent', scopes: ['read', 'run', 'approve'] };
  const { token: secret } = (await me.post('/api/v1/auth/tokens', made)).body;
  const token = callerOf(rig.url, String(secret));
  const talk = createTalk(() => token);
  await talk.begin({ agent: 'odd' });
  await talk.say('hello');
  const { payload, turn_id } = await talk.until(({ type }) => type === 'approval');
  assert.equal(turn_id, null, 'its turn was over');
  const ask = String(payload['ask']);
  const [option] = (await me.get(`asks/${ask}`)).body['options'];
  const own = await token.post(`asks/${ask}`, { option_id: option.option_id });
  assert.equal(own.status, 403, JSON.stringify(own.body));
  const persons = await me.post(`asks/${ask}`, { option_id: option.option_id });
  assert.equal(persons.status, 200, JSON.stringify(persons.body));
});

test('what can hardly be stored keeps no turn from its end', async (t) => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const steps = [
    onPrompt([
      say('a\u0000b\ud800'),
      update({ sessionUpdate: 'constructor', content: { type: 'text', text: 'x' } }),
      raw(`{"jsonrpc":"2.0","id":9,"method":"toString"}\n`),
      raw(`{"jsonrpc":"2.0","method":"odd","params":${deep}}\n`),
      raw(`{"jsonrpc":"2.0","method":"odd","params":{"__proto__":{"deep":${deep}}}}\n`),
      raw(Buffer.from([0xff, 0xfe, 0x00, 0x0a])),
      say('after'),
      endTurn(),
    ]),
    gate('never'),
  ];
  await using rig = await openTestGateway(playing(t, steps));
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin({ agent: 'odd' });
  const turn = await talk.say('hello');
  assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
  const text = talk.textOf(turn);
  assert.ok(text.startsWith('a\u0000b') && text.endsWith('after'), JSON.stringify(text));
});
