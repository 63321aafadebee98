/*
 * A file that was named and is not there, or is no file, is told in a sentence.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { runCli } from '../../src/cli.ts';
import { readCaller } from '../../src/config.ts';
import { createFakeIo } from '../support/fake-io.ts';

function home(context: TestContext) {
  const cwd = mkdtempSync(join(tmpdir(), 'clf-home-'));
  context.after(() => rmSync(cwd, { recursive: true, force: true }));
  const call = async (...argv: string[]) => {
    const io = createFakeIo();
    const caller = readCaller({ argv, env: { HOME: cwd }, cwd, pid: 1, umask: 0o022 });
    const deps = { caller, io, clock: createFakeClock(), random: createSeededRandom(1) };
    const status = await runCli(deps);
    return { code: status.kind === 'code' ? status.code : -1, out: io.out(), err: io.err() };
  };
  return { cwd, call };
}

test('restore: a missing backup is said to be missing, to a check and to a restore', async (context) => {
  const { cwd, call } = home(context);
  const checked = await call('restore', '--check', 'missing');
  assert.deepEqual(
    [checked.code, checked.out],
    [
      1,
      `bad  there is no file ${cwd}/missing. A backup is the file that clf backup FILE has made.\n`,
    ],
  );
  const { code, err } = await call('restore', 'missing');
  assert.equal(code, 125);
  assert.match(
    err,
    new RegExp(`^clf: there is no file ${cwd}/missing\n {2}Nothing was changed\\.`),
  );
  assert.match((await call('restore', '--check', '.')).out, /is a directory, not a file/);
});

test('login --link-file: a missing file is the mistake, whatever runs', async (context) => {
  const { cwd, call } = home(context);
  for (const argv of [['login'], ['login', 'http://127.0.0.1:1']]) {
    const { code, err } = await call(...argv, '--link-file', 'nofile');
    assert.equal(code, 125);
    assert.match(err, new RegExp(`^clf: there is no file ${cwd}/nofile\n {2}--link-file names`));
    assert.match(err, /\(file-unreadable\)\n$/);
  }
});
