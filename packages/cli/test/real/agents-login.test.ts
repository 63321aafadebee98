/*
 * `clf agents login`: a sign-in at a terminal, in front and from elsewhere; by the settings, by what the agent itself tells of, and by a
 * key where there is no other way.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import {
  expectInitialize,
  expectNew,
  fakeAgentCommand,
  script,
  writeScript,
} from '@clawdfather/testkit';
import { createCliRig, launcherPath, startProcess } from '../support/cli-process.ts';

const hasScript = existsSync('/usr/bin/script') ? false : 'script is not installed';
const options = { timeout: 120_000, skip: hasScript };

/* Asks for a code, and keeps it where claude keeps its sign-in. */
const signIn =
  'printf "code? "; read code; mkdir -p ~/.claude; echo "$code-$KEY" > ~/.claude/.credentials.json';

function rigWith(t: TestContext, agentsOf: (home: string) => object) {
  const rig = createCliRig(t);
  const home = rig.env['HOME'] ?? '';
  const config = join(home, 'config.jsonc');
  const settings = { agents: agentsOf(home), shield: { mode: 'off' } };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  rig.env['CLAWDFATHER_CONFIG'] = config;
  const atTerminal = (...args: string[]) => {
    const line = [process.execPath, launcherPath, ...args].map((word) => `'${word}'`).join(' ');
    const env = { ...rig.env, TERM: 'dumb', SHELL: '/bin/sh' };
    const started = startProcess(env, undefined, ['script', '-qec', line, '/dev/null']);
    t.after(async () => {
      started.child.kill('SIGKILL');
      await started.result;
    });
    return started;
  };
  return { ...rig, home, atTerminal };
}

const claude = { command: ['/nowhere'], login: ['sh', '-c', signIn], env: { KEY: 'k' } };

test(
  'at a terminal: the sign-in has the terminal and the agent’s variables, and its end is told',
  options,
  async (t) => {
    const rig = rigWith(t, () => ({ claude }));
    const started = rig.atTerminal('agents', 'login', 'claude');
    await started.saw('code? ');
    started.child.stdin?.write('1234\r');
    const { code, stdout } = await started.result;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /claude is signed in by .*\.credentials\.json/);
    assert.equal(readFileSync(join(rig.home, '.claude/.credentials.json'), 'utf8'), '1234-k\n');
    assert.deepEqual(readdirSync(join(rig.stateDir, 'runs')), [], 'what it showed is forgotten');
  },
);

test('a sign-in that came to nothing is told', options, async (t) => {
  const rig = rigWith(t, () => ({ claude: { ...claude, login: ['true'] } }));
  const { code, stdout } = await rig.atTerminal('agents', 'login', 'claude').result;
  assert.equal(code, 1);
  assert.match(stdout, /claude is not signed in/);
});

test('from elsewhere: it is left, and attached to by its name', options, async (t) => {
  const rig = rigWith(t, () => ({ claude }));
  const refused = await rig.clf('agents', 'login', 'claude');
  assert.match(refused.stderr, /needs a terminal.*\n.*clf agents login -d claude/);
  const left = await rig.clf('agents', 'login', '-d', '--json', 'claude');
  const { runId } = cliShapes['agent-login'].parse(JSON.parse(left.stdout));
  assert.deepEqual(await rig.live(), [runId]);
  const again = await rig.clf('agents', 'login', '-d', 'claude');
  assert.match(again.stderr, /login-claude/);
  const attached = rig.atTerminal('attach', 'login-claude');
  await attached.saw('code? ');
  attached.child.stdin?.write('5678\r');
  assert.equal((await attached.result).code, 0);
  assert.equal(readFileSync(join(rig.home, '.claude/.credentials.json'), 'utf8'), '5678-k\n');
});

test('an agent that tells of a way at a terminal is started that way', options, async (t) => {
  const rig = rigWith(t, (home) => {
    mkdirSync(join(home, 'bin'));
    const way = {
      id: 'tty',
      name: 'Terminal',
      type: 'terminal',
      args: ['login', 'now'],
      env: { WAY: 'w' },
    };
    const file = writeScript(
      join(home, 'script'),
      script([expectInitialize({ authMethods: [{ id: 'web', name: 'Web' }, way] }), expectNew()]),
    );
    const agent = fakeAgentCommand({ script: file })
      .map((word) => `'${word}'`)
      .join(' ');
    const program = join(home, 'bin/mine');
    const text = `#!/bin/sh\n[ "$1" = login ] && { echo "$@ $WAY" > ~/said; exit 0; }\nexec ${agent}\n`;
    writeFileSync(program, text, { mode: 0o700 });
    return { mine: { command: [program] } };
  });
  const { code, stdout } = await rig.atTerminal('agents', 'login', 'mine').result;
  assert.equal(code, 0, stdout);
  assert.equal(readFileSync(join(rig.home, 'said'), 'utf8'), 'login now w\n');
  assert.match(stdout, /can be told only by trying: clf agents test mine/);
});

test('where a key is the only way, it is said which', options, async (t) => {
  const rig = rigWith(t, () => ({
    codex: { command: fakeAgentCommand() },
    mine: { command: fakeAgentCommand() },
  }));
  const codex = await rig.clf('agents', 'login', '-d', 'codex');
  assert.equal(codex.code, 125);
  assert.match(codex.stderr, /set agents\.codex\.env\.CODEX_API_KEY or OPENAI_API_KEY/);
  assert.match((await rig.clf('agents', 'login', '-d', 'mine')).stderr, /agents\.mine\.login/);
});
