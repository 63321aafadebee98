/*
 * Where state is kept, and what of our environment a command gets to see.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanEnv, readConfig } from '../src/config.ts';

const config = (env: Record<string, string | undefined>) =>
  readConfig({ argv: [], env: { HOME: '/h', ...env }, cwd: '/here', pid: 7 });

test('state: our own variable, then XDG, then the home directory', () => {
  assert.equal(config({}).stateDir, '/h/.local/state/clawdfather');
  assert.equal(config({ XDG_STATE_HOME: '/x' }).stateDir, '/x/clawdfather');
  assert.equal(config({ XDG_STATE_HOME: 'relative' }).stateDir, '/h/.local/state/clawdfather');
  assert.equal(
    config({ XDG_STATE_HOME: '/x', CLAWDFATHER_STATE_DIR: 'mine' }).stateDir,
    '/here/mine',
  );
});

test('colours: NO_COLOR with any value, and dumb terminals', () => {
  assert.equal(config({}).isColourAllowed, true);
  assert.equal(config({ NO_COLOR: '' }).isColourAllowed, true);
  assert.equal(config({ NO_COLOR: '0' }).isColourAllowed, false);
  assert.equal(config({ TERM: 'dumb' }).isColourAllowed, false);
});

test("an outer run's identity is not handed on", () => {
  const env = config({ CLAWDFATHER_LEASE_ID: 'l', CLAWDFATHER_RUN_ID: 'r', FOO: 'bar' }).commandEnv;
  assert.deepEqual(env, { HOME: '/h', FOO: 'bar' });
});

test('the noted limits of open files, or none', () => {
  const noted = (text: string) => config({ CLAWDFATHER_OPEN_FILES: text }).openFiles;
  assert.deepEqual(noted('256:4096'), { soft: 256, hard: 4_096 });
  for (const text of ['', '256', 'unlimited:unlimited', '4096:256', '0:9', '1:2:3', 'x:1']) {
    assert.equal(noted(text), undefined, text);
  }
});

test('a clean environment is what a login gives', () => {
  const env = { PATH: '/bin', LC_ALL: 'C', XDG_RUNTIME_DIR: '/r', SECRET: 'x', LD_PRELOAD: 'y' };
  assert.deepEqual(cleanEnv(env), { PATH: '/bin', LC_ALL: 'C', XDG_RUNTIME_DIR: '/r' });
});
