/*
 * The example in the sdk's README is the file that is run here, against a real gateway.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const fileOf = (path: string): string =>
  fileURLToPath(new URL(`../../../sdk/${path}`, import.meta.url));
const example = fileOf('examples/hello.ts');

test('the sdk’s example runs and prints what the README says', async () => {
  await using rig = await openTestGateway();
  const args = ['--conditions=@clawdfather/source', example, rig.url];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${rig.owner.token}\n`);
  const readme = readFileSync(fileOf('README.md'), 'utf8');
  const transcript = /```console\n\$ [^\n]*\n([^`]*)```/.exec(readme)?.[1];
  assert.equal(await text(child.stdout), transcript);
});

test('the sdk’s README shows the example as it is', () => {
  const source = readFileSync(example, 'utf8').replace(/^\/\*[^]*?\*\/\n/, '');
  assert.ok(readFileSync(fileOf('README.md'), 'utf8').includes(`\`\`\`ts\n${source}\`\`\``));
});
