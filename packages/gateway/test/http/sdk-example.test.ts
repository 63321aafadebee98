/*
 * The example in the sdk's README is the file that is run here, against a real gateway.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const fileOf = (path: string): string => join(root, 'packages/sdk', path);
const example = fileOf('examples/hello.ts');

test('the sdk’s example runs as the README says and prints what it says', async () => {
  await using rig = await openTestGateway();
  const readme = readFileSync(fileOf('README.md'), 'utf8');
  const transcript = /```console\n\$ [^\n]*\| npx node ([^\n]*)\n([^`]*)```/.exec(readme);
  assert.ok(transcript, 'there is a command to copy');
  const args = [...(transcript[1] ?? '').split(' '), rig.url];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${rig.owner.token}\n`);
  assert.equal(await text(child.stdout), transcript[2]);
});

test('the sdk’s README shows the example as it is', () => {
  const source = readFileSync(example, 'utf8').replace(/^\/\*[^]*?\*\/\n/, '');
  assert.ok(readFileSync(fileOf('README.md'), 'utf8').includes(`\`\`\`ts\n${source}\`\`\``));
});
