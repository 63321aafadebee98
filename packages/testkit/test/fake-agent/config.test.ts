/*
 * A script reaches the agent in a file, in an argument or in the environment; what is no script is refused with a reason.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { exitWith, fakeAgentCommand, script, writeScript } from '@clawdfather/testkit';
import { temporaryDirectory } from './drive-agent.ts';

const options = { timeout: 60_000 };

function run(flags: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const [file, ...args] = fakeAgentCommand();
  return spawnSync(file, [...args, ...flags], { env, input: '', encoding: 'utf8' });
}

test('a script comes in a file, an argument or a variable', options, (t) => {
  const json = (code: number) => JSON.stringify(script([exitWith(code)]));
  const file = writeScript(join(temporaryDirectory(t), 'script'), script([exitWith(3)]));
  const env = { FAKE_AGENT_SCRIPT: json(5) };
  assert.equal(run(['--script', file], env).status, 3);
  assert.equal(run(['--script-json', json(4)], env).status, 4);
  assert.equal(run([], env).status, 5);
  /* None: it echoes, and its input is empty. */
  assert.equal(run([]).status, 0);
});

test('what is no script is refused in one line', options, () => {
  for (const [flags, reason] of [
    [['--script-json', '{'], /^fake agent: --script-json is no JSON: .+\n$/],
    [['--script-json', '[]'], /^fake agent: --script-json is no script: it has no "steps"\n$/],
    [['--script-json', '{"steps":1}'], /^fake agent: --script-json: "steps" is no list\n$/],
    [['--script', '/nowhere/at/all'], /^fake agent: ENOENT.+\n$/],
    [['--dance'], /^fake agent: Unknown option '--dance'/],
  ] as const) {
    const { status, stderr } = run(flags);
    assert.equal(status, 64);
    assert.match(stderr, reason);
  }
});
