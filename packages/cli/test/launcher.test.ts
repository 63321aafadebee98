/*
 * The launcher: which Node runs what, and that nothing of it shows to the commands below.
 *
 * Each test builds a small checkout of its own around a copy of the launcher.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';

const launcherPath = join(import.meta.dirname, '../bin/clawdfather.cjs');

/* A hang must end the test by its name. */
const timeoutMs = 30_000;

const commandPath = join(import.meta.dirname, '../bin/clawdfather');

/* What tells a checkout from an installed package. */
const source = 'packages/cli/src/main.ts';

/* `npm test` asks for the bundle, and tells Node where sources are. */
const cleanEnv = { ...process.env, NODE_OPTIONS: '', CLAWDFATHER_FROM: '' };

function makeCheckout(context: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'clf-launcher-'));
  context.after(() => rmSync(root, { recursive: true }));
  const allFiles = { 'packages/cli/package.json': '{"type":"module"}', ...files };
  for (const [path, text] of Object.entries(allFiles)) {
    const place = join(root, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text, { mode: 0o755 });
  }
  mkdirSync(join(root, 'packages/cli/bin'), { recursive: true });
  copyFileSync(launcherPath, join(root, 'packages/cli/bin/clawdfather.cjs'));
  return root;
}

function launch(root: string, nodePath: string, args: readonly string[]) {
  const launcher = join(root, 'packages/cli/bin/clawdfather.cjs');
  const result = spawnSync(nodePath, [launcher, ...args], {
    encoding: 'utf8',
    timeout: timeoutMs,
    env: cleanEnv,
  });
  return { status: result.status, stdout: result.stdout, stderr: result.stderr };
}

/* A Node on this machine that is too old for the sources, if there is one. */
function findOldNode(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path))
    .find((path) => {
      const version = spawnSync(path, ['-p', 'process.versions.node'], {
        encoding: 'utf8',
        env: cleanEnv,
      }).stdout.trim();
      const [major = 0, minor = 0] = version.split('.').map(Number);
      return major > 0 && (major < 24 || (major === 24 && minor < 15));
    });
}

const oldNode = findOldNode();
const needsOldNode = { skip: oldNode === undefined ? 'no older Node on this machine' : false };

test('a checkout runs its source, with the other packages resolved to theirs', (context) => {
  const root = makeCheckout(context, {
    'packages/cli/src/main.ts': `
      import { name } from '@example/other';
      const args: string[] = process.argv.slice(2);
      process.stdout.write(JSON.stringify({ name, args, options: process.env.NODE_OPTIONS }));
      process.exitCode = 7;`,
    'node_modules/@example/other/package.json': `{"name":"@example/other","type":"module","exports":
      {"@clawdfather/source":"./source.js","default":"./dist.js"}}`,
    'node_modules/@example/other/source.js': `export const name = 'source';`,
    'node_modules/@example/other/dist.js': `export const name = 'dist';`,
  });
  const result = launch(root, process.execPath, ['run', '--', 'a b', '']);
  assert.equal(result.stderr, '');
  assert.deepEqual(JSON.parse(result.stdout), {
    name: 'source',
    args: ['run', '--', 'a b', ''],
    options: '',
  });
  assert.equal(result.status, 7);
});

test('an installed package runs its bundle', (context) => {
  const root = makeCheckout(context, {
    'packages/cli/dist/bundle/main.cjs': `process.stdout.write('bundle');`,
  });
  assert.equal(launch(root, process.execPath, []).stdout, 'bundle');
});

test('a checkout runs its bundle when asked to, and tells nobody further down', (context) => {
  const root = makeCheckout(context, {
    'packages/cli/src/main.ts': `process.stdout.write('source');`,
    'packages/cli/dist/bundle/main.cjs': `process.stdout.write('bundle' + process.env.CLAWDFATHER_FROM);`,
  });
  const result = spawnSync(process.execPath, [join(root, 'packages/cli/bin/clawdfather.cjs')], {
    encoding: 'utf8',
    timeout: timeoutMs,
    env: { ...cleanEnv, CLAWDFATHER_FROM: 'bundle' },
  });
  assert.equal(result.stdout, 'bundleundefined');
});

/* As a shell starts it. A changed file is one that the kernel says has changed since the bundle was begun. */
test('a checkout runs its bundle while that is current, without node_modules, and else its sources', (context) => {
  const root = makeCheckout(context, {
    'package-lock.json': '{}',
    'packages/cli/src/main.ts': `process.stdout.write('source');`,
    'packages/kit/src/kit.ts': '',
  });
  const command = join(root, 'packages/cli/bin/clawdfather');
  copyFileSync(commandPath, command);
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
  const started = (env: Readonly<Record<string, string>> = {}): string => {
    const options = { encoding: 'utf8', timeout: timeoutMs } as const;
    return spawnSync(command, [], { ...options, env: { ...cleanEnv, PATH: path, ...env } }).stdout;
  };
  assert.equal(started(), 'source', 'there is no bundle yet');
  const bundle = join(root, 'packages/cli/dist/bundle');
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, 'main.cjs'), `process.stdout.write('bundle');`);
  writeFileSync(join(bundle, 'made'), '');
  assert.equal(started(), 'bundle');
  assert.equal(started({ CLAWDFATHER_FROM: 'source' }), 'source');
  // An old time, as `cp -a` and `git` with a hook may give it, does not hide a change.
  const changed = join(root, 'packages/kit/src/kit.ts');
  utimesSync(changed, new Date(0), new Date(0));
  assert.equal(started(), 'source');
});

test('without sources and bundle it says what to do', (context) => {
  const result = launch(makeCheckout(context, {}), process.execPath, []);
  assert.match(result.stderr, /bundle is missing; make it with "npm run bundle"/);
  assert.equal(result.status, 125);
});

test('S3: the limits of open files are noted before Node raises them', (context) => {
  const root = makeCheckout(context, {
    'packages/cli/src/main.ts': `process.stdout.write(String(process.env.CLAWDFATHER_OPEN_FILES));`,
  });
  copyFileSync(commandPath, join(root, 'packages/cli/bin/clawdfather'));
  symlinkSync('packages/cli/bin/clawdfather', join(root, 'clf'));
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
  const line = 'ulimit -Sn 256; ulimit -Hn 512; exec ./clf';
  const result = spawnSync('sh', ['-c', line], {
    cwd: root,
    encoding: 'utf8',
    timeout: timeoutMs,
    env: { ...cleanEnv, PATH: path },
  });
  assert.equal(result.stderr, '');
  assert.equal(result.stdout, '256:512');
});

test("a checkout's own Node is the one that runs", (context) => {
  const root = makeCheckout(context, {
    [source]: '',
    'node_modules/.bin/node': `#!/bin/sh\necho "$@"\nexit 9\n`,
  });
  const command = join(root, 'packages/cli/bin/clawdfather');
  copyFileSync(commandPath, command);
  const result = spawnSync(command, ['ps', 'a b'], { encoding: 'utf8', timeout: timeoutMs });
  assert.match(result.stdout, /\/clawdfather\.cjs ps a b\n$/);
  assert.equal(result.status, 9);
});

test('an installed package leaves the Node of the project around it alone', (context) => {
  const root = makeCheckout(context, {
    'node_modules/.bin/node': `#!/bin/sh\nexit 9\n`,
    'packages/cli/dist/bundle/main.cjs': `process.stdout.write(process.execPath);`,
  });
  const command = join(root, 'packages/cli/bin/clawdfather');
  copyFileSync(commandPath, command);
  const env = { ...cleanEnv, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
  const result = spawnSync(command, [], { encoding: 'utf8', timeout: timeoutMs, env });
  assert.equal(result.stdout, process.execPath);
});

test('an installed package under an old Node says what to do', needsOldNode, (context) => {
  const root = makeCheckout(context, {
    'node_modules/.bin/node': `#!/bin/sh\nexit 9\n`,
  });
  const result = launch(root, oldNode ?? '', []);
  assert.match(result.stderr, /put a newer one first on the PATH/);
  assert.equal(result.status, 125);
});

test('an old Node without the pinned one says what to do', needsOldNode, (context) => {
  const result = launch(makeCheckout(context, { [source]: '' }), oldNode ?? '', []);
  assert.match(result.stderr, /npm ci/);
  assert.equal(result.status, 125);
});

test(
  'an old Node hands over to the pinned one: arguments and exit code',
  needsOldNode,
  (context) => {
    const root = makeCheckout(context, {
      [source]: '',
      'node_modules/.bin/node': `#!/bin/sh\necho "$@"\nexit 9\n`,
    });
    const result = launch(root, oldNode ?? '', ['ps', '--all']);
    assert.match(result.stdout, /clawdfather\.cjs ps --all\n$/);
    assert.equal(result.status, 9);
  },
);

test('an old Node passes a signal down and the death by it up', needsOldNode, async (context) => {
  const root = makeCheckout(context, {
    [source]: '',
    'node_modules/.bin/node': `#!/bin/sh\necho ready\nexec sleep 60\n`,
  });
  const launcher = join(root, 'packages/cli/bin/clawdfather.cjs');
  const parent = spawn(oldNode ?? '', [launcher], {
    env: cleanEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(parent.stdout, 'data');
  parent.kill('SIGTERM');
  const [code] = await once(parent, 'exit');
  assert.equal(code, 128 + 15);
});
