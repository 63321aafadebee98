/*
 * What doctor says about the code that we run. Who else can change it is found out by kit, on real directories.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkCodeCache, checkProgram } from '../../src/doctor/code-checks.ts';

function tempDir(context: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'clf-doctor-'));
  context.after(() => rmSync(path, { recursive: true }));
  chmodSync(path, 0o755);
  return path;
}

test('a program that another user can change is told of', (context) => {
  const root = tempDir(context);
  const program = join(root, 'program.js');
  writeFileSync(program, '');
  chmodSync(program, 0o644);
  assert.equal(checkProgram([program]).status, 'ok');
  chmodSync(program, 0o666);
  const finding = checkProgram([program]);
  assert.equal(finding.status, 'warn');
  assert.equal(finding.advice, `chmod go-w ${program}`);
});

test('a cache that is used is well, and one that is not has a reason and a cure', (context) => {
  const root = tempDir(context);
  const env = { XDG_CACHE_HOME: root };
  const code = join(root, 'clawdfather', 'code');
  const look = () => checkCodeCache(env, undefined);
  assert.equal(checkCodeCache(env, code).status, 'ok');
  assert.match(look().summary, /cannot be made/);
  mkdirSync(code, { recursive: true });
  chmodSync(code, 0o755);
  assert.match(look().summary, /was open to others/);
  assert.match(look().advice ?? '', new RegExp(`^rm -r ${code}`));
  rmSync(code, { recursive: true });
  symlinkSync(root, code);
  assert.match(look().summary, /is not a directory of yours/);
  chmodSync(root, 0o777);
  assert.equal(look().advice, `chmod go-w ${root}`);
});
