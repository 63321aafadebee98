/*
 * What is started for a name: configured before installed, with a hash that changes with whatever decides which code runs.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  builtInAgents,
  cautiousQuirks,
  findEntry,
  type InstalledAgent,
  resolveAgent,
  resolveOnHost,
} from '@clawdfather/agents';

const installed: InstalledAgent = {
  name: 'gemini',
  version: '1.0.0',
  place: '/a/gemini-1.0.0-0123456789ab',
  argv: ['/n/node', '/a/gemini.js', '--acp'],
  signInArgv: ['/n/node', '/a/gemini.js'],
  integrity: 'sha256-one',
  bytes: 1,
};

test('a built-in agent is started from its installation, with its own variables and quirks', () => {
  const resolved = resolveAgent('gemini', {}, installed);
  assert.deepEqual(resolved.argv, installed.argv);
  assert.equal(resolved.source, 'installed');
  assert.deepEqual(resolved.env, { GEMINI_CLI_NO_RELAUNCH: 'true' });
  assert.equal(resolved.quirks, findEntry('gemini', builtInAgents).quirks);
});

test('settings add variables and a directory, and win over ours', () => {
  const settings = { gemini: { env: { GEMINI_CLI_NO_RELAUNCH: 'false', KEY: 'x' }, cwd: '/w' } };
  const { env, cwd, argv } = resolveAgent('gemini', settings, installed);
  assert.deepEqual(env, { GEMINI_CLI_NO_RELAUNCH: 'false', KEY: 'x' });
  assert.equal(cwd, '/w');
  assert.deepEqual(argv, installed.argv);
});

test('a configured command is started as it stands; one of a built-in name keeps the quirks', () => {
  const command = ['/opt/mine', '--acp'];
  const own = resolveAgent('mine', { mine: { command } }, undefined);
  assert.deepEqual([own.argv, own.source, own.quirks], [command, 'configured', cautiousQuirks]);
  const replaced = resolveAgent('gemini', { gemini: { command } }, installed);
  assert.deepEqual(replaced.argv, command);
  assert.equal(replaced.quirks.loadErasesYoungerThanMs, 60_000);
});

test('the hash changes with argv, names of variables, directory and packages, and with nothing secret', () => {
  const hash = (settings: object, has = installed): string =>
    resolveAgent('gemini', { gemini: settings }, has).commandHash;
  const base = hash({});
  assert.equal(hash({}), base);
  const others = [
    hash({ command: installed.argv }),
    hash({ command: [...installed.argv.slice(0, -1), '--acp '] }),
    hash({ env: { KEY: 'one' } }),
    hash({ cwd: '/w' }),
    hash({}, { ...installed, integrity: 'sha256-two' }),
  ];
  assert.equal(new Set([base, ...others]).size, others.length + 1);
  assert.equal(hash({ env: { KEY: 'one' } }), hash({ env: { KEY: 'two' } }));
});

test('what cannot be started says why and what to do', () => {
  assert.throws(() => resolveAgent('claude', {}, undefined), {
    code: 'agent-not-installed',
    hint: 'clf agents install claude',
  });
  assert.throws(() => resolveAgent('cluade', {}, undefined), {
    code: 'agent-unknown',
    hint: 'did you mean claude?',
  });
  assert.throws(() => resolveAgent('mien', { mine: { command: ['x'] } }, undefined), {
    hint: 'did you mean mine?',
  });
  // An inherited property is no setting.
  assert.throws(() => resolveAgent('constructor', {}, undefined), { code: 'agent-unknown' });
  for (const command of [[], [''], ['a\0b']]) {
    assert.throws(() => resolveAgent('mine', { mine: { command } }, undefined), {
      code: 'agent-command-invalid',
    });
  }
});

test('on a host only a configured command can be started, also one with the name of a built-in agent', () => {
  const settings = { gemini: { command: ['gemini', '--acp'] }, claude: { env: { KEY: 'x' } } };
  const resolved = resolveOnHost('gemini', settings);
  assert.deepEqual(resolved.argv, ['gemini', '--acp']);
  assert.equal(resolved.quirks, findEntry('gemini', builtInAgents).quirks);
  assert.throws(() => resolveOnHost('claude', settings), { code: 'agent-not-on-host' });
  assert.throws(() => resolveOnHost('nobody', settings), { code: 'agent-unknown' });
});
