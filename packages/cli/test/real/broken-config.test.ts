/*
 * A config file with a mistake: what looks and what ends goes on with a warning, what could do harm by it is refused.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readWords } from '../../src/args/read-words.ts';
import { commands } from '../../src/commands/table.ts';
import { createGatewayRig, type GatewayRig } from '../support/gateway-rig.ts';

/* A rig whose file says where the state is; the environment does not. */
function createFileRig(context: TestContext) {
  const rig = createGatewayRig(context);
  const { CLAWDFATHER_STATE_DIR: _, ...env } = rig.env;
  const directory = join(env['XDG_CONFIG_HOME'] ?? '', 'clawdfather');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'config.jsonc');
  const write = (text: string): void => {
    writeFileSync(path, text, { mode: 0o600 });
    chmodSync(path, 0o600);
  };
  // An empty variable counts as none.
  const clf: GatewayRig['clf'] = (...args) =>
    rig.clfWith({ env: { ...env, CLAWDFATHER_STATE_DIR: '' } }, ...args);
  return { rig, path, write, clf };
}

const looking = ['ps', 'status', 'approvals', 'gc --dry-run', 'doctor'];
const refused = ['run -- true', 'exec -- true', 'serve', 'mcp', 'gc', 'allow x', 'backup /tmp/x'];

test('with a mistake in the file runs are listed, read, waited for, ended and removed, and each warns', {
  timeout: 120_000,
}, async (context) => {
  const { rig, path, write, clf } = createFileRig(context);
  const said = `"stateDir": ${JSON.stringify(rig.stateDir)}`;
  write(`{ ${said} }`);
  const run = (
    await clf('run', '-d', '--', 'sh', '-c', 'echo here; exec sleep 1000')
  ).stdout.trim();
  const short = (await clf('run', '-d', '--', 'true')).stdout.trim();

  write(`{\n  ${said},\n  "gc": { "olderThna": "30d" }\n}\n`);
  const listed = await clf('ps', '-q');
  assert.equal(listed.stdout, `${run}\n`);
  assert.match(
    listed.stderr,
    new RegExp(`^clf: warning: ${path}:3:11: there is no setting gc.olderThna\n.*gc.olderThan`),
  );
  assert.ok(listed.stderr.includes(`The state directory is ${rig.stateDir} (${path}:2).`));
  for (const line of looking) {
    const { stderr } = await clf(...line.split(' '));
    assert.match(stderr, /^clf: warning: .*olderThna/, line);
    assert.doesNotMatch(stderr, /config-invalid/, line);
  }
  for (const line of refused) {
    const { code, stderr } = await clf(...line.split(' '));
    assert.deepEqual([code, /\(config-invalid\)/.test(stderr)], [125, true], `${line}: ${stderr}`);
  }
  const found = JSON.parse((await clf('doctor', '--json')).stdout) as {
    findings: { check: string; status: string; summary: string }[];
  };
  const config = found.findings.find(({ check }) => check === 'config');
  assert.equal(config?.status, 'fail');
  assert.match(config.summary, /config\.jsonc:3:11/);

  // Where the syntax ends, what stands before it is still known.
  write(`{\n  ${said},\n  "gc": { "olderThan": "30d" \n`);
  assert.equal((await clf('logs', run)).stdout, 'here\n');
  assert.match((await clf('kill', run)).stdout, new RegExp(`^${run} `));
  assert.equal((await clf('wait', short)).code, 0);
  assert.equal((await clf('rm', run, short)).stdout, `${run}\n${short}\n`);
  assert.match((await clf('stop')).stderr, /gateway-not-running/);
});

test('where the file hides the state directory, the warning says which one is used', {
  timeout: 60_000,
}, async (context) => {
  const { rig, path, write, clf } = createFileRig(context);
  const usual = join(rig.env['HOME'] ?? '', '.local/state/clawdfather');
  write(`{ oops "stateDir": ${JSON.stringify(rig.stateDir)} }`);
  const hidden = await clf('ps');
  assert.equal(hidden.code, 0, hidden.stderr);
  assert.ok(hidden.stderr.includes(`The state directory is ${usual} (default).\n`));
  assert.match(hidden.stderr, /names another one, say it: --state-dir DIR\n/);
  const said = await clf('ps', '--state-dir', rig.stateDir);
  assert.ok(said.stderr.includes(`The state directory is ${rig.stateDir} (--state-dir).\n`));

  // Nothing is taken from a file that others can write to.
  write(`{ "stateDir": ${JSON.stringify(rig.stateDir)} }`);
  chmodSync(path, 0o666);
  const unsafe = await clf('ps');
  assert.equal(unsafe.code, 0, unsafe.stderr);
  assert.match(unsafe.stderr, /warning: .*others can write to it/);
  assert.ok(unsafe.stderr.includes(`The state directory is ${usual} (default).\n`));
  assert.match((await clf('run', '--', 'true')).stderr, /\(config-unsafe\)/);
  assert.ok(existsSync(usual));
});

test('what starts, serves, allows, deletes or restores needs the file', () => {
  const useOf = (name: string, ...argv: string[]) => {
    const { spec, prepare } =
      commands.find((command) => command.spec.name === name) ?? assert.fail(name);
    return prepare(readWords(spec, argv)).configFile;
  };
  for (const name of ['run', 'exec', 'allow', 'backup', 'restore']) {
    assert.equal(useOf(name, 'x'), 'required', name);
  }
  for (const name of ['mcp', 'serve', 'gc']) assert.equal(useOf(name), 'required', name);
  assert.equal(useOf('gc', '--dry-run'), 'optional', 'which only looks');
});
