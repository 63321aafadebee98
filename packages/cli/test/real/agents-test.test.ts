/*
 * `clf agents test` with real processes and without a gateway: what works, every cause for which an agent does not, and that nothing is left.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import {
  expectInitialize,
  expectMethod,
  fakeAgentCommand,
  respondError,
  script,
  writeScript,
} from '@clawdfather/testkit';
import { createCliRig } from '../support/cli-process.ts';

const options = { timeout: 120_000 };
const node = process.execPath;

function rigWith(t: TestContext, agents: object, shield: object = { mode: 'off' }) {
  const rig = createCliRig(t);
  const config = join(rig.env['HOME'] ?? '', 'config.jsonc');
  writeFileSync(config, JSON.stringify({ agents, shield }), { mode: 0o600 });
  rig.env['CLAWDFATHER_CONFIG'] = config;
  return rig;
}

type Rig = ReturnType<typeof rigWith>;

async function tested(rig: Rig, ...args: string[]) {
  const { code, stdout, stderr } = await rig.clf('agents', 'test', '--json', ...args);
  assert.equal(stderr, '');
  const told = cliShapes['tested-agent'].parse(JSON.parse(stdout));
  assert.equal(code, told.outcome === 'works' ? 0 : 1);
  assert.deepEqual(readdirSync(join(rig.stateDir, 'runs')), [], 'no run is left');
  return told;
}

test(
  'an agent that works: step by step, in a shield, with its answer; agents ls knows it',
  options,
  async (t) => {
    const rig = rigWith(
      t,
      { echo: { command: fakeAgentCommand(), env: { A: 'b' } } },
      { mode: 'on' },
    );
    const dir = join(rig.env['HOME'] ?? '', 'work');
    mkdirSync(dir);
    const told = await tested(rig, 'echo', '--prompt', 'hello there', '--dir', dir);
    assert.equal(told.outcome, 'works', JSON.stringify(told));
    assert.deepEqual(
      told.steps.map(({ name }) => name),
      ['initialize', 'session', 'prompt'],
    );
    assert.equal(told.answer, 'hello there');
    assert.equal(told.protocolVersion, 1);
    assert.equal(told.directory, dir);
    assert.notEqual(told.shield, null);
    assert.deepEqual(readdirSync(join(rig.stateDir, 'runs')), []);

    const listed = await rig.clf('agents', 'ls', '--json');
    const agents = listed.stdout
      .trim()
      .split('\n')
      .map((line) => cliShapes.agent.parse(JSON.parse(line)));
    const echo = agents.find(({ name }) => name === 'echo');
    assert.equal(echo?.lastTest?.outcome, 'works');
    assert.equal(echo?.isSignedIn, null);
    assert.equal(echo?.isDefault, true);
    const claude = agents.find(({ name }) => name === 'claude');
    assert.deepEqual(
      [claude?.isInstalled, claude?.isSignedIn, claude?.lastTest],
      [false, false, null],
    );
    const table = await rig.clf('agents');
    assert.match(table.stdout, /^echo +yes +yes +yes \(.*\)/m);

    const shown = await rig.clf('agents', 'test', 'echo');
    assert.match(shown.stdout, /ok {2}initialize +\S+\nok {2}session .*\n.*protocol version 1\n/);
    assert.match(shown.stdout, /\necho works\n$/);
  },
);

test(
  'signed in is seen in the settings: by a variable, and by a file with one',
  options,
  async (t) => {
    const rig = rigWith(t, {
      claude: { env: { ANTHROPIC_API_KEY: 'x' } },
      codex: { env: { OPENAI_API_KEY: { file: '~/key' } } },
    });
    const listed = await rig.clf('agents', 'ls', '--json');
    const agents = listed.stdout
      .trim()
      .split('\n')
      .map((line) => cliShapes.agent.parse(JSON.parse(line)));
    const isSignedIn = Object.fromEntries(agents.map(({ name, isSignedIn: is }) => [name, is]));
    assert.deepEqual(
      [isSignedIn['claude'], isSignedIn['codex'], isSignedIn['qwen']],
      [true, true, false],
    );
  },
);

test('every cause has its word and what to do', options, async (t) => {
  const home = createCliRig(t).env['HOME'] ?? '';
  const unsigned = script([
    expectInitialize({ authMethods: [{ id: 'web', name: 'Web' }] }),
    expectMethod('session/new'),
    respondError(-32000, 'Authentication required'),
  ]);
  const refusing = script([expectMethod('initialize'), respondError(-32603, 'out of order')]);
  const rig = rigWith(t, {
    unsigned: {
      command: fakeAgentCommand({ script: writeScript(join(home, 'unsigned'), unsigned) }),
    },
    refusing: {
      command: fakeAgentCommand({ script: writeScript(join(home, 'refusing'), refusing) }),
    },
    exits: { command: [node, '-e', 'console.error("no such flag"); process.exit(3)'] },
    prints: { command: [node, '-e', 'console.log("Welcome!"); process.stdin.resume()'] },
    silent: { command: [node, '-e', 'process.stdin.resume()'] },
    missing: { command: ['/nowhere/agent'] },
    limited: { command: [node], limits: { memory: '1G' } },
  });
  const signedOut = await tested(rig, 'unsigned');
  assert.deepEqual([signedOut.outcome, signedOut.failedAt], ['not-signed-in', 'session']);
  assert.match(signedOut.advice ?? '', /clf agents login unsigned/);
  assert.deepEqual(signedOut.signInWays, [{ id: 'web', name: 'Web' }]);
  const refused = await tested(rig, 'refusing');
  assert.deepEqual([refused.outcome, refused.failedAt], ['refused', 'initialize']);
  assert.match(refused.message ?? '', /out of order/);
  const exits = await tested(rig, 'exits');
  assert.deepEqual([exits.outcome, exits.lastLines], ['exited', ['no such flag']]);
  const prints = await tested(rig, 'prints', '--timeout', '2s');
  assert.deepEqual([prints.outcome, prints.lastLines], ['no-acp', ['Welcome!']]);
  assert.equal((await tested(rig, 'silent', '--timeout', '200ms')).outcome, 'too-slow');
  const missing = await tested(rig, 'missing');
  assert.deepEqual([missing.outcome, missing.startMs], ['not-startable', null]);
  assert.match(missing.message ?? '', /\/nowhere\/agent/);
  assert.match((await tested(rig, 'limited')).message ?? '', /cgroup/);
  const shown = await rig.clf('agents', 'test', 'exits');
  assert.equal(shown.code, 1);
  assert.match(shown.stdout, / {4}no such flag\nno {2}initialize +it ended before/);
});

test(
  'an agent that is not installed, or not known, is told before anything starts',
  options,
  async (t) => {
    const rig = createCliRig(t);
    const missing = await rig.clf('agents', 'test', 'claude');
    assert.equal(missing.code, 125);
    assert.match(missing.stderr, /claude is not installed\n {2}clf agents install claude/);
    const unknown = await rig.clf('agents', 'test', 'claud');
    assert.match(unknown.stderr, /there is no agent "claud"\n {2}did you mean claude\?/);
  },
);

test('killed in the middle, it ends its agent', options, async (t) => {
  const rig = rigWith(t, { silent: { command: [node, '-e', 'process.stdin.resume()'] } });
  const { child, result } = rig.start({}, 'agents', 'test', 'silent');
  const isStarted = async (): Promise<boolean> => (await rig.clf('ps', '-q')).stdout !== '';
  while (!(await isStarted())) assert.equal(child.exitCode, null);
  child.kill('SIGINT');
  assert.equal((await result).signal, 'SIGINT');
  assert.equal((await rig.clf('ps', '-aq')).stdout, '');
});
