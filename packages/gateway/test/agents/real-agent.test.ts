/*
 * A real agent with a model on this machine: text, a tool with permission, a cancel, and its death; and gateways that are killed in the
 * middle of the text and while the permission is open. Each prompt reaches the model once, and the tool's effect happens once.
 *
 * `npm test` takes opencode; `npm run test:agents:long` takes claude and codex, too.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import {
  createNonce,
  type FakeModel,
  type FakeModelAgent,
  openFakeModel,
  sayModel,
  saySeeded,
  wholeText,
} from '@clawdfather/testkit';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { type GatewayProcess, startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { untilTrue } from '../hosts/host-world.ts';
import { processesAtHome, setUpRealAgent } from './real-agent-rig.ts';
import { createTalk, isEndOf } from './talk.ts';

const random = createSystemRandom();
const chosen: readonly FakeModelAgent[] =
  process.env['AGENTS'] === 'all' ? ['opencode', 'claude', 'codex'] : ['opencode'];

for (const name of chosen) {
  test(`${name}: a turn survives gateways that are killed in its text and at its permission`, {
    timeout: 180_000,
  }, async (t) => {
    await using model = await openFakeModel();
    const { agents, cwd, home } = await setUpRealAgent(t, name, model);
    const directory = join(home, 'gateway');
    mkdirSync(directory);
    const start = (): Promise<GatewayProcess> => startGatewayProcess(directory, { agents });
    let gateway = await start();
    const restart = async (): Promise<void> => {
      await gateway.end('SIGKILL');
      gateway = await start();
    };
    const talk = createTalk(() => gateway.me);
    try {
      await talk.begin({ agent: 'real', directory: cwd });
      const first = createNonce(random);
      const seeded = [
        [saySeeded(3, 40), { kind: 'gate', name: 'middle' } as const, saySeeded(4, 40)],
      ];
      model.script(first, seeded);
      const text = await talk.say(`Answer. ${first}`);
      await model.gates.reached('middle');
      await restart();
      model.gates.release('middle');
      assert.equal((await talk.until(isEndOf(text))).payload['event'], 'completed');
      assert.equal(talk.textOf(text), wholeText(seeded).text);

      const second = createNonce(random);
      const command = 'echo once >> proof.txt';
      model.script(second, [
        [sayModel('before '), { kind: 'shell', command, asks: true }],
        [sayModel('after')],
      ]);
      const tool = await talk.say(`Answer. ${second}`);
      const { payload } = await talk.until(({ type }) => type === 'approval');
      await restart();
      const { body } = await gateway.me.get('asks');
      assert.equal(body['items'].length, 1);
      const [{ id, options }] = body['items'];
      assert.equal(payload['ask'], id);
      const once = options.find(({ kind }: { kind: string }) => kind === 'allow_once');
      const sent = await gateway.me.post(`asks/${id}`, { option_id: once.option_id });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      assert.equal((await talk.until(isEndOf(tool))).payload['event'], 'completed');
      assert.equal(talk.textOf(tool), 'before after');
      assert.equal(readFileSync(join(cwd, 'proof.txt'), 'utf8'), 'once\n');
      assert.equal(model.log.of(first).length, 1, 'the prompt reached the model once');
      const rounds = model.log.of(second);
      assert.deepEqual(
        rounds.map(({ round }) => round),
        [0, 1],
        JSON.stringify(rounds, undefined, 1),
      );
      await checkCancelAndDeath({ model, gateway, talk });
      const { thread } = (await gateway.me.get(`threads/${talk.id()}`)).body;
      assert.equal((await gateway.me.delete(`sessions/${thread.session_id}`)).status, 200);
      // Of the agent and of all that it started.
      await untilTrue(() => processesAtHome(home).length === 0);
    } finally {
      await gateway.end('SIGKILL');
      await endEveryRun(join(directory, 'state'));
    }
  });
}

interface Going {
  readonly model: FakeModel;
  readonly gateway: GatewayProcess;
  readonly talk: ReturnType<typeof createTalk>;
}

/* A cancel keeps the process; after its death another one takes the conversation up again. */
async function checkCancelAndDeath({ model, gateway, talk }: Going): Promise<void> {
  const { me } = gateway;
  const third = createNonce(random);
  model.script(third, [[sayModel('begun'), { kind: 'gate', name: 'held' }, sayModel('never')]]);
  const held = await talk.say(`Answer. ${third}`);
  await model.gates.reached('held');
  assert.equal((await me.post(`turns/${held}/cancel`)).body['accepted'], true);
  assert.equal((await talk.until(isEndOf(held))).payload['event'], 'cancelled');
  const before = (await me.get(`threads/${talk.id()}`)).body['turns'];
  const runs = new Set(before.map(({ run_id }: { run_id: string }) => run_id));
  assert.equal(runs.size, 1, 'one process for all of it');

  const { thread } = (await me.get(`threads/${talk.id()}`)).body;
  assert.equal((await me.delete(`sessions/${thread.session_id}`)).status, 200);
  await talk.until(({ payload }) => payload['event'] === 'agent-ended');
  const fourth = createNonce(random);
  model.script(fourth, [[sayModel('back again')]]);
  const last = await talk.say(`Answer. ${fourth}`);
  assert.equal((await talk.until(isEndOf(last))).payload['event'], 'completed');
  assert.equal(talk.textOf(last), 'back again');
  const known = model.log.of(fourth)[0]?.nonces ?? [];
  assert.ok(known.length > 1, 'it remembers what was said before');
}
