/*
 * Built-in agents on this machine: what is not one is told before anything is fetched, and what is not there is not removed. That an
 * agent is installed whole or not at all is tested where that is done (packages/agents).
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCliRig } from '../support/cli-process.ts';

test('an agent that is none is refused with the one that was meant, and nothing is made', async (t) => {
  const rig = createCliRig(t);
  const { code, stderr, stdout } = await rig.clf('agents', 'install', 'claude', 'opencod');
  assert.equal(code, 125);
  assert.equal(stdout, '');
  assert.match(stderr, /there is no agent "opencod"\n {2}did you mean opencode\?/);
  assert.equal(existsSync(join(rig.env['HOME'] ?? '', '.local/share/clawdfather')), false);
});

test('one of the settings is not called unknown: there is nothing to install', async (t) => {
  const rig = createCliRig(t);
  const config = join(rig.env['HOME'] ?? '', 'config.jsonc');
  writeFileSync(config, JSON.stringify({ agents: { own: { command: ['own'] } } }), { mode: 0o600 });
  rig.env['CLAWDFATHER_CONFIG'] = config;
  const { code, stderr } = await rig.clf('agents', 'install', 'own');
  assert.equal(code, 125);
  assert.match(
    stderr,
    /own is not built in, so there is nothing to install: .*agents\.own\.command/,
  );
});

test('an agent that is not installed is not removed, and that is said', async (t) => {
  const rig = createCliRig(t);
  assert.equal((await rig.clf('agents', 'rm', 'claude')).stdout, 'claude was not installed\n');
  const json = await rig.clf('agents', 'rm', 'codex', '--json');
  assert.deepEqual(JSON.parse(json.stdout), { name: 'codex', isRemoved: false });
});
