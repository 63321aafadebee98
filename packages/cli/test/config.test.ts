/*
 * Settings: where each value comes from, and how mistakes are told.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { execLimits } from '@clawdfather/protocol';
import { runSpec } from '../src/commands/run-spec.ts';
import { versionSpec } from '../src/commands/own-specs.ts';
import { cleanEnv, configPath, loadConfig, readCaller, usualConfig } from '../src/config.ts';
import type { SettingKey } from '../src/config/settings.ts';
import { parseWith } from './support/configs.ts';

const caller = (env: Record<string, string | undefined>) =>
  readCaller({ argv: [], env: { HOME: '/h', ...env }, cwd: '/here', pid: 7, umask: 0o022 });

const config = (env: Record<string, string | undefined>, ...argv: string[]) =>
  loadConfig(caller(env), parseWith(runSpec, [...argv, 'x']).callSettings);

/* A file of this text; its variable is returned. */
function fileOf(context: TestContext, text: string, mode = 0o600): { CLAWDFATHER_CONFIG: string } {
  const directory = mkdtempSync(join(tmpdir(), 'clf-config-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'config.jsonc');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return { CLAWDFATHER_CONFIG: path };
}

test('state: our own variable, then XDG, then the home directory', async () => {
  const stateDir = async (env: Record<string, string>) => (await config(env)).stateDir;
  assert.equal(await stateDir({}), '/h/.local/state/clawdfather');
  assert.equal(await stateDir({ XDG_STATE_HOME: '/x' }), '/x/clawdfather');
  assert.equal(await stateDir({ XDG_STATE_HOME: 'relative' }), '/h/.local/state/clawdfather');
  assert.equal(
    await stateDir({ XDG_STATE_HOME: '/x', CLAWDFATHER_STATE_DIR: 'mine' }),
    '/here/mine',
  );
});

test('the file: in the XDG place, or where it is said', () => {
  const pathOf = (env: Record<string, string>, ...argv: string[]) =>
    configPath(caller(env), parseWith(versionSpec, argv).callSettings).path;
  assert.equal(pathOf({}), '/h/.config/clawdfather/config.jsonc');
  assert.equal(pathOf({ XDG_CONFIG_HOME: '/x' }), '/x/clawdfather/config.jsonc');
  assert.equal(pathOf({ XDG_CONFIG_HOME: 'x' }), '/h/.config/clawdfather/config.jsonc');
  assert.equal(pathOf({ CLAWDFATHER_CONFIG: '~/c' }), '/h/c');
  assert.equal(pathOf({ CLAWDFATHER_CONFIG: '/c' }, '--config', 'mine'), '/here/mine');
});

test('defaults < file < environment < flags, and each says where it comes from', async (context) => {
  const text = `{
  // as in the office
  "run": { "grace": "2s", "timeout": 90, "leftovers": "end" },
  "stateDir": "~/runs",
  "policy": { "allow": ["~/bin/tool"] },
}`;
  const env = { ...fileOf(context, text), CLAWDFATHER_RUN_TIMEOUT: '1m' };
  const { values, origins, stateDir } = await config(env, '--leftovers', 'fail');
  const told = (key: SettingKey) => [values[key], origins[key]];
  assert.deepEqual(told('run.ownerLoss'), ['adopt', { kind: 'default' }]);
  const inFile = { kind: 'file', path: env.CLAWDFATHER_CONFIG };
  assert.deepEqual(told('run.grace'), [2_000, { ...inFile, line: 3, column: 21 }]);
  const variable = { kind: 'environment', name: 'CLAWDFATHER_RUN_TIMEOUT' };
  assert.deepEqual(told('run.timeout'), [60_000, variable]);
  assert.deepEqual(told('run.leftovers'), ['fail', { kind: 'flag', name: '--leftovers' }]);
  assert.equal(stateDir, '/h/runs');
  assert.deepEqual(values['policy.allow'], ['/h/bin/tool']);
});

test('an empty variable is no value', async () => {
  const { origins } = await config({ CLAWDFATHER_RUN_GRACE: '' });
  assert.equal(origins['run.grace'].kind, 'default');
});

test('colours: NO_COLOR with any value, dumb terminals, and what is said to us', async (context) => {
  const colour = async (env: Record<string, string>, ...argv: string[]) =>
    (await config(env, ...argv)).values.color;
  assert.equal(await colour({}), 'auto');
  assert.equal(await colour({ NO_COLOR: '' }), 'auto');
  assert.equal(await colour({ NO_COLOR: '0' }), 'never');
  assert.equal(await colour({ TERM: 'dumb' }), 'never');
  assert.equal(await colour({ CLAWDFATHER_COLOR: 'always', NO_COLOR: '1' }), 'always');
  assert.equal(await colour({ CLAWDFATHER_COLOR: 'always' }, '--no-color'), 'never');
  assert.equal(await colour({ ...fileOf(context, '{"color":"always"}'), NO_COLOR: '1' }), 'never');
});

test('mistakes in variables and flags name them', async () => {
  await assert.rejects(config({ CLAWDFATHER_LOG: 'loud' }), /CLAWDFATHER_LOG is not one of off/);
  await assert.rejects(config({}, '--timeout', 'soon'), /^CliError: --timeout is not a duration/);
});

test('a mistake in the file has its line, and a hint', async (context) => {
  const env = fileOf(context, '{\n  "run": {\n    "grase": "2s" } }');
  await assert.rejects(config(env), {
    code: 'config-invalid',
    message: `${env.CLAWDFATHER_CONFIG}:3:5: there is no setting run.grase`,
    hint: 'Did you mean run.grace?',
  });
});

test('a broken file does not stop what must always work', (context) => {
  const env = { ...fileOf(context, '{ oops'), CLAWDFATHER_LOG: 'loud', CLAWDFATHER_STATE_DIR: '' };
  const { origins } = usualConfig(caller(env), parseWith(versionSpec, []).callSettings);
  assert.equal(origins.log.kind, 'default');
});

test('a file that others can change is refused', async (context) => {
  for (const mode of [0o620, 0o602]) {
    await assert.rejects(config(fileOf(context, '{}', mode)), {
      code: 'config-unsafe',
      hint: /chmod go-w/,
    });
  }
  const env = fileOf(context, '{}');
  chmodSync(join(env.CLAWDFATHER_CONFIG, '..'), 0o777);
  await assert.rejects(config(env), { code: 'config-unsafe' });
});

test('nor may everybody write to a directory above it', async (context) => {
  const above = mkdtempSync(join(tmpdir(), 'clf-above-'));
  context.after(() => rmSync(above, { recursive: true, force: true }));
  const path = join(above, 'a', 'b', 'config.jsonc');
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(path, '{"gc": {"keep": 7}}', { mode: 0o600 });
  assert.equal((await config({ CLAWDFATHER_CONFIG: path })).values['gc.keep'], 7);
  chmodSync(above, 0o777);
  await assert.rejects(config({ CLAWDFATHER_CONFIG: path }), { code: 'config-unsafe' });
  chmodSync(above, 0o1777);
  assert.equal((await config({ CLAWDFATHER_CONFIG: path })).values['gc.keep'], 7);
});

test('a link is as good as what it leads to', async (context) => {
  const real = fileOf(context, '{"gc": {"keep": 5}}');
  const link = `${real.CLAWDFATHER_CONFIG}.link`;
  symlinkSync(real.CLAWDFATHER_CONFIG, link);
  assert.equal((await config({ CLAWDFATHER_CONFIG: link })).values['gc.keep'], 5);
  chmodSync(real.CLAWDFATHER_CONFIG, 0o666);
  await assert.rejects(config({ CLAWDFATHER_CONFIG: link }), { code: 'config-unsafe' });
});

test('a named file that is not there is told; /dev/null is no file', async (context) => {
  await assert.rejects(config({ CLAWDFATHER_CONFIG: '/nowhere/c' }), { code: 'config-unreadable' });
  assert.equal((await config({ CLAWDFATHER_CONFIG: '/dev/null' })).values['gc.keep'], 1_000);
  const directory = join(fileOf(context, '').CLAWDFATHER_CONFIG, '..', 'sub');
  mkdirSync(directory);
  await assert.rejects(config({ CLAWDFATHER_CONFIG: directory }), /not a regular file/);
});

test('the numbers of exec are those of its schema', async () => {
  const { values } = await config({});
  assert.equal(values['exec.yield'], execLimits.yieldMs.usual);
  assert.equal(values['exec.timeout'], execLimits.timeoutSeconds.usualLocal * 1_000);
  assert.equal(values['terminal.cols'], execLimits.terminal.cols);
  assert.equal(values['terminal.rows'], execLimits.terminal.rows);
});

test("an outer run's identity is not handed on", () => {
  const env = { CLAWDFATHER_LEASE_ID: 'l', CLAWDFATHER_RUN_ID: 'r', FOO: 'bar' };
  assert.deepEqual(caller(env).commandEnv, { HOME: '/h', FOO: 'bar' });
});

test('the noted limits of open files, or none', () => {
  const noted = (text: string) => caller({ CLAWDFATHER_OPEN_FILES: text }).openFiles;
  assert.deepEqual(noted('256:4096'), { soft: 256, hard: 4_096 });
  for (const text of ['', '256', 'unlimited:unlimited', '4096:256', '0:9', '1:2:3', 'x:1']) {
    assert.equal(noted(text), undefined, text);
  }
});

test('a clean environment is what a login gives', () => {
  const env = { PATH: '/bin', LC_ALL: 'C', XDG_RUNTIME_DIR: '/r', SECRET: 'x', LD_PRELOAD: 'y' };
  assert.deepEqual(cleanEnv(env), { PATH: '/bin', LC_ALL: 'C', XDG_RUNTIME_DIR: '/r' });
});
