/*
 * A real agent inside the whole shield, asked through a gateway: it answers and works in its tree; its own program files are read-only, and
 * of our state nothing is there. It shares the installation with real-agent.test.ts.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import { createNonce, openFakeModel, sayModel } from '@clawdfather/testkit';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { untilTrue } from '../hosts/host-world.ts';
import { noShield } from '../hosts/shielded-runs.ts';
import { processesAtHome, setUpRealAgent } from './real-agent-rig.ts';
import { createTalk, isEndOf } from './talk.ts';

const random = createSystemRandom();

test('opencode in a shield: it answers, its files are read-only, and our state is not there', {
  skip: noShield,
  timeout: 180_000,
}, async (t) => {
  await using model = await openFakeModel();
  const { agents, cwd, home, installation } = await setUpRealAgent(t, 'opencode', model);
  const directory = join(home, 'gateway');
  const state = join(directory, 'state');
  const canary = join(directory, 'canary');
  mkdirSync(directory);
  writeFileSync(canary, 'a secret of ours\n');
  const settings = { mode: 'on', hide: [], open: [], write: [] } as const;
  const places = {
    ownDirectories: [directory],
    given: [],
    ours: [],
    programs: [installation],
    privateDir: join(state, 'shield'),
    home,
    runtimeDir: undefined,
    searchPath: '/usr/bin:/bin',
  };
  const mark = join(installation, 'mark-of-a-test');
  // By variables: for paths outside of its tree it asks once more.
  const variables = { CANARY: canary, STATE: state, MARK: mark };
  const named = agents.named.map((agent) => ({ ...agent, env: { ...agent.env, ...variables } }));
  const gateway = await startGatewayProcess(directory, {
    agents: { named },
    runs: { shield: { settings, places } },
  });
  const talk = createTalk(() => gateway.me);
  try {
    await talk.begin({ agent: 'real', directory: cwd });
    const nonce = createNonce(random);
    const command = [
      'cat $CANARY > seen.txt 2>/dev/null; ls -A $STATE >> seen.txt 2>/dev/null',
      'touch $MARK 2>/dev/null && echo writable > files.txt || echo read-only > files.txt',
      'echo $CLAWDFATHER_SHIELD > shield.txt',
    ].join('; ');
    model.script(nonce, [
      [sayModel('before '), { kind: 'shell', command, asks: true }],
      [sayModel('after')],
    ]);
    const turn = await talk.say(`Answer. ${nonce}`);
    await talk.until(({ type }) => type === 'approval');
    const [{ id, options }] = (await gateway.me.get('asks')).body['items'];
    const once = options.find(({ kind }: { kind: string }) => kind === 'allow_once');
    await gateway.me.post(`asks/${id}`, { option_id: once.option_id });
    assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
    assert.equal(talk.textOf(turn), 'before after');
    const made = (name: string): string => readFileSync(join(cwd, name), 'utf8');
    assert.deepEqual(
      [made('shield.txt'), made('files.txt'), made('seen.txt')],
      ['full\n', 'read-only\n', ''],
    );
    assert.ok(!existsSync(mark));
    const { thread } = (await gateway.me.get(`threads/${talk.id()}`)).body;
    assert.equal((await gateway.me.delete(`sessions/${thread.session_id}`)).status, 200);
    await untilTrue(() => processesAtHome(home).length === 0);
  } finally {
    await gateway.end('SIGKILL');
    await endEveryRun(state);
  }
});
