/*
 * What must say the same in two places: the list of reasons, the README and its example.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { execResultSchema } from '@clawdfather/protocol';

const fileOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const example = fileOf('examples/hello.ts');

test('the example runs as the README shows it', async (t) => {
  const stateDir = mkdtempSync(join(tmpdir(), 'clf-tools-example-'));
  t.after(() => rmSync(stateDir, { recursive: true, force: true }));
  const args = ['--conditions=@clawdfather/source', example, stateDir];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const result = execResultSchema.parse(JSON.parse(stdout));
  assert.ok(result.status === 'completed' && result.exitCode === 3 && result.output === 'hello\n');
  const source = readFileSync(example, 'utf8').replace(/^\/\*[^]*?\*\/\n/, '');
  assert.ok(readFileSync(fileOf('README.md'), 'utf8').includes(`\`\`\`ts\n${source}\`\`\``));
});
