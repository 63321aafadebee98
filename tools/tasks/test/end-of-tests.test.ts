/*
 * A test file ends when its tests are over, whatever they have left behind.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { testStep } from '../test-step.ts';

/* Runs it as `npm test` would, with another patience. */
function runFile(context: TestContext, body: string) {
  const directory = mkdtempSync(join(tmpdir(), 'clf-tests-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'some.test.mjs');
  writeFileSync(file, `import { test } from 'node:test';\n${body}\n`);
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env;
  const { command, args } = testStep([file]);
  return spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...env, TEST_REST_MS: '400' },
  });
}

const kept = "const server = net.createServer().listen(0, '127.0.0.1');";

test('a test that fails and leaves a server behind ends with what keeps its file alive', (context) => {
  const { status, stdout } = runFile(
    context,
    `import net from 'node:net'; test('fails', () => { ${kept} throw new Error('wrong'); });`,
  );
  assert.equal(status, 1);
  assert.match(stdout, /some\.test\.mjs: no test has run for 0\.4 s.*TCPServerWrap/);
});

test('a test that passes and leaves a server behind fails its file', (context) => {
  const body = `import net from 'node:net'; test('passes', () => { ${kept} });`;
  assert.equal(runFile(context, body).status, 1);
});

test('one that was ended by its own time limit does not count as running', (context) => {
  const body = `import net from 'node:net';
    test('hangs', { timeout: 50 }, () => { ${kept} return new Promise(() => {}); });`;
  const { status, stdout } = runFile(context, body);
  assert.equal(status, 1);
  assert.match(stdout, /no test has run/);
});

test('a test may take longer than the rest between two', (context) => {
  const body = `import { setTimeout as sleep } from 'node:timers/promises';
    test('slow', async (t) => { await t.test('inner', () => {}); await sleep(1500); });`;
  assert.equal(runFile(context, body).status, 0);
});

test('a program that a test starts with our flags says nothing of tests', (context) => {
  const body = `import assert from 'node:assert/strict';
    import { execFileSync } from 'node:child_process';
    const program = "console.log('its own words')";
    test('starts it', () => {
      const output = execFileSync(process.execPath, [...process.execArgv, '--input-type=module', '-e', program], { encoding: 'utf8' });
      assert.equal(output, 'its own words\\n');
    });`;
  const { status, stdout } = runFile(context, body);
  assert.equal(status, 0, stdout);
});
