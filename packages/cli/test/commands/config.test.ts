/*
 * `clf config`: what it shows, what it finds, and that it works when everything else does not.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { runCli } from '../../src/cli.ts';
import { readCaller } from '../../src/config.ts';
import { createFakeIo } from '../support/fake-io.ts';

/* A home of its own, with this text in the file. */
function home(context: TestContext, text?: string) {
  const directory = mkdtempSync(join(tmpdir(), 'clf-home-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, '.config', 'clawdfather', 'config.jsonc');
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  if (text !== undefined) writeFileSync(path, text, { mode: 0o600 });
  const call = async (env: Record<string, string>, ...argv: string[]) => {
    const io = createFakeIo();
    const caller = readCaller({
      argv,
      env: { HOME: directory, ...env },
      cwd: '/',
      pid: 1,
      umask: 0o022,
    });
    const deps = { caller, io, clock: createFakeClock(), random: createSeededRandom(1) };
    const status = await runCli(deps);
    return {
      code: status.kind === 'code' ? status.code : status.signal,
      out: io.out(),
      err: io.err(),
    };
  };
  return { path, call };
}

test('show: every setting, its value, where it comes from', async (context) => {
  const { call } = home(context, '{\n  "run": { "grace": "2s" }\n}');
  const { out, code } = await call(
    { CLAWDFATHER_GC_KEEP: '5' },
    'config',
    'show',
    '--state-dir',
    '/s',
  );
  assert.equal(code, 0);
  const rowOf = (key: string) =>
    out
      .split('\n')
      .find((line) => line.startsWith(`${key} `))
      ?.split(/ {2,}/)
      .slice(1);
  assert.deepEqual(rowOf('run.grace'), ['2s', '~/.config/clawdfather/config.jsonc:2']);
  assert.deepEqual(rowOf('gc.keep'), ['5', 'CLAWDFATHER_GC_KEEP']);
  assert.deepEqual(rowOf('stateDir'), ['/s', '--state-dir']);
  assert.deepEqual(rowOf('exec.timeout'), ['30m', 'default']);
  assert.deepEqual(rowOf('policy.allow'), ['-', 'default']);
});

test('show KEY: only that one; a mistyped one is suggested', async (context) => {
  const { call } = home(context);
  assert.equal(
    (await call({}, 'config', 'show', 'log')).out,
    'SETTING  VALUE  FROM\nlog      off    default\n',
  );
  assert.match((await call({}, 'config', 'show', 'run.grase')).err, /Did you mean run\.grace\?/);
  assert.match((await call({}, 'config', 'chek')).err, /Did you mean check\?/);
});

test('check: all that is wrong, with its place, and exit code 1', async (context) => {
  const { path, call } = home(context, '{\n  "run": { "grase": 1 },\n  "log": "loud"\n}');
  const { out, code } = await call({}, 'config', 'check');
  assert.equal(code, 1);
  assert.equal(
    out,
    `${path}:2:12: there is no setting run.grase\n  Did you mean run.grace?\n` +
      `${path}:3:10: log is not one of off, error, warn, info, debug: "loud"\n`,
  );
  const more = await call({ CLAWDFATHER_GRASE: '1s' }, 'config', 'check');
  assert.ok(more.out.startsWith(out) && more.out.includes('CLAWDFATHER_GRASE'), more.out);
});

test('check: variables that mean nothing, files that nobody reads', async (context) => {
  const { path, call } = home(context, '{}');
  assert.deepEqual((await call({}, 'config', 'check')).out, `${path} is well: 0 settings\n`);
  writeFileSync(join(path, '..', 'config.json'), '{}');
  const { out, code } = await call(
    { CLAWDFATHER_RUN_GRASE: '1s', CLAWDFATHER_RUN_ID: 'x' },
    'config',
    'check',
  );
  assert.equal(code, 1);
  assert.match(
    out,
    /nothing reads the variable CLAWDFATHER_RUN_GRASE\n {2}Did you mean CLAWDFATHER_RUN_GRACE\?/,
  );
  assert.match(out, /nothing reads .*config\.json\n/);
});

test('check: no file at all is no mistake', async (context) => {
  const { path, call } = home(context);
  const { out, code } = await call({}, 'config', 'check');
  assert.equal(code, 0);
  assert.equal(out, `There is no ${path}, so the defaults hold. All settings: clf config show\n`);
});

test('set: the file and exactly what to write there, checked before', async (context) => {
  const none = home(context);
  const { code, err } = await none.call({}, 'config', 'set', 'run.grace', '10s');
  assert.equal(code, 125);
  assert.ok(
    err.startsWith(
      'clf: there is no config set: the file is edited by hand\n' +
        `  Create ${none.path} with this line: { "run": { "grace": "10s" } }  Then check it: clf config check.`,
    ),
    err,
  );
  assert.match(err, /CLAWDFATHER_RUN_GRACE=/);
  const text = '{\n  "run": { "grace": "2s" },\n  "gc": { "keep": 3 }\n}';
  const { path, call } = home(context, text);
  const says = async (...words: string[]) => (await call({}, 'config', 'set', ...words)).err;
  assert.ok(
    (await says('run.grace=10s')).includes(
      `Line 2 of ${path} sets it. Change that to "grace": "10s"`,
    ),
  );
  assert.ok(
    (await says('run.timeout', '1h')).includes(`In ${path}, inside "run", add "timeout": "1h"`),
  );
  assert.ok(
    (await says('log', 'warn')).includes(`In ${path}, inside the outer { }, add "log": "warn"`),
  );
  assert.match(await says('run.grase', '1s'), /Did you mean run\.grace\?/);
  assert.match(await says('run.grace', 'soon'), /run\.grace is not a duration: "soon"/);
  assert.ok((await says()).includes(`It is ${path}. Edit it: $EDITOR`));
  // What it says is right.
  const written = home(context, '{ "run": { "grace": "10s" } }');
  assert.match((await written.call({}, 'config', 'show', 'run.grace')).out, /run\.grace +10s/);
});

test('get, unset and edit are told what is there instead', async (context) => {
  const { path, call } = home(context);
  assert.match((await call({}, 'config', 'get', 'log')).err, /Write: clf config show log\n/);
  assert.ok((await call({}, 'config', 'unset', 'log')).err.includes(`It is ${path}.`));
  assert.ok((await call({}, 'config', 'edit')).err.includes(`It is ${path}.`));
  assert.match(
    (await call({}, 'config', 'sho')).err,
    /not one of show, path, check, schema: "sho"\n {2}Did you mean show\?/,
  );
});

test('a broken file stops what starts something with its line, and neither help nor config itself', async (context) => {
  const { path, call } = home(context, '{ "run": { "grace": "soon" } }');
  const { code, err } = await call({}, 'run', '--', 'true');
  assert.equal(code, 125);
  assert.ok(err.startsWith(`clf: ${path}:1:21: run.grace is not a duration: "soon"\n`), err);
  assert.equal((await call({}, 'help')).code, 0);
  assert.equal((await call({}, 'version')).code, 0);
  assert.equal((await call({}, 'config', 'path')).out, `${path}\n`);
  assert.equal((await call({}, 'completion', 'bash')).code, 0);
  assert.ok(JSON.parse((await call({}, 'config', 'schema')).out));
});
