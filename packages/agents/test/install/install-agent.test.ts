/*
 * Installing, from the registry: what is there afterwards, what is found when it was changed, and each way to fail.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  builtInAgents,
  type CatalogueEntry,
  findEntry,
  findInstalled,
  findOlder,
  installAgent,
  type InstallProgress,
  removeInstalled,
  verifyInstalled,
} from '@clawdfather/agents';
import { openSmallDisk, smallDiskSkip } from '@clawdfather/testkit';
import { openDirectory, optionsFor, standIn } from '../fixtures/stand-in.ts';

test('an installed agent is found, starts without npm, and is installed only once', async () => {
  using directory = openDirectory();
  const options = optionsFor(directory.path);
  assert.equal(findInstalled(standIn, options), undefined);
  const stages: InstallProgress[] = [];
  const installed = await installAgent(standIn, {
    ...options,
    onProgress: (progress) => stages.push(progress),
  });
  assert.deepEqual(
    [...new Set(stages.map(({ stage }) => stage))],
    ['prepare', 'fetch', 'check', 'publish'],
  );
  // One package, counted once, although npm tells of its cache and of the network.
  assert.deepEqual(stages.at(-3), { stage: 'fetch', packages: 1 });
  assert.deepEqual(findInstalled(standIn, options), installed);
  assert.equal(installed.version, '7.7.2');
  assert.match(installed.integrity, /^sha256-[0-9a-f]{64}$/);
  const [program = '', ...args] = installed.argv;
  assert.equal(program, process.execPath);
  // An empty environment: nothing is looked up at the start.
  assert.equal(execFileSync(program, [...args, '1.2.3'], { env: {} }).toString(), '1.2.3\n');

  await installAgent(standIn, { ...options, onProgress: () => assert.fail('it was there') });
  assert.deepEqual(readdirSync(directory.path).length, 1);
  assert.deepEqual(await removeInstalled('stand-in', options), readdirNames(installed.place));
  assert.deepEqual(readdirSync(directory.path), []);
});

test('a file that was changed, added or deleted is found by its name, and so is a changed list', async () => {
  using directory = openDirectory();
  const installed = await installAgent(standIn, optionsFor(directory.path));
  assert.deepEqual(await verifyInstalled(installed), []);
  const modules = join(installed.place, 'node_modules');
  appendFileSync(join(modules, 'semver/index.js'), '\n');
  writeFileSync(join(modules, 'semver/more.js'), '');
  rmSync(join(modules, 'semver/README.md'));
  assert.deepEqual(await verifyInstalled(installed), [
    { path: 'semver/README.md', problem: 'missing' },
    { path: 'semver/index.js', problem: 'changed' },
    { path: 'semver/more.js', problem: 'added' },
  ]);
  appendFileSync(join(installed.place, 'files.json'), ' ');
  assert.deepEqual(await verifyInstalled(installed), [{ path: 'files.json', problem: 'changed' }]);
});

test('one without its manifest is not installed, and installing mends it', async () => {
  using directory = openDirectory();
  const options = optionsFor(directory.path);
  const { place } = await installAgent(standIn, options);
  rmSync(join(place, 'manifest.json'));
  assert.equal(findInstalled(standIn, options), undefined);
  const again = await installAgent(standIn, options);
  assert.deepEqual(await verifyInstalled(again), []);
});

test('another version has a directory of its own, and the older one can be removed alone', async () => {
  using directory = openDirectory();
  const options = optionsFor(directory.path);
  const older = await installAgent(withVersion('7.7.1'), options);
  const newer = await installAgent(standIn, options);
  assert.notEqual(older.place, newer.place);
  assert.notEqual(older.integrity, newer.integrity);
  assert.deepEqual(findOlder(standIn, options), readdirNames(older.place));
  await removeInstalled('stand-in', { ...options, only: findOlder(standIn, options) });
  assert.equal(existsSync(older.place), false);
  assert.deepEqual(findInstalled(standIn, options), newer);
});

const failures: Readonly<Record<string, readonly [CatalogueEntry, string]>> = {
  'a version that does not exist': [withVersion('0.0.99'), 'install-failed'],
  'a package without the program': [withProgram('semver/missing.js'), 'install-incomplete'],
};
for (const [name, [entry, code]] of Object.entries(failures)) {
  test(`${name} is ${code}, and leaves nothing`, async () => {
    using directory = openDirectory();
    await assert.rejects(installAgent(entry, optionsFor(directory.path)), { code });
    assert.deepEqual(readdirSync(directory.path), []);
  });
}

test('without a network it says so', async () => {
  using directory = openDirectory();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  const options = optionsFor(directory.path);
  const env = {
    ...options.env,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: join(directory.path, '../cache'),
  };
  await assert.rejects(installAgent(standIn, { ...options, env }), { code: 'install-no-network' });
  assert.deepEqual(readdirSync(directory.path), []);
});

test('without npm it says so', async () => {
  using directory = openDirectory();
  const options = { ...optionsFor(directory.path), env: { PATH: '/nowhere' } };
  await assert.rejects(installAgent(standIn, options), { code: 'install-no-npm' });
});

test('a full disk is told as one, and leaves nothing', { skip: smallDiskSkip }, async () => {
  using disk = openSmallDisk('size=64k');
  const options = optionsFor(join(disk.path, 'agents'));
  await assert.rejects(installAgent(standIn, options), { code: 'install-disk-full' });
  assert.deepEqual(readdirSync(options.directory), []);
});

test('a directory that others can write to is refused', async () => {
  using directory = openDirectory();
  mkdirSync(join(directory.path, 'theirs'), { recursive: true });
  execFileSync('chmod', ['777', join(directory.path, '..'), directory.path]);
  const options = optionsFor(directory.path);
  await assert.rejects(installAgent(standIn, options), { code: 'agents-dir-unsafe' });
});

test('giving up ends npm and leaves nothing', async () => {
  using directory = openDirectory();
  const stop = new AbortController();
  const options = {
    ...optionsFor(directory.path),
    signal: stop.signal,
    onProgress: ({ stage }: InstallProgress) => {
      if (stage === 'fetch') stop.abort(new Error('enough'));
    },
  };
  await assert.rejects(installAgent(standIn, options), { message: 'enough' });
  assert.deepEqual(readdirSync(directory.path), []);
});

test('an unknown name gets the one that was meant', () => {
  assert.throws(() => findEntry('opncode', builtInAgents), {
    code: 'agent-unknown',
    hint: 'did you mean opencode?',
  });
});

function withVersion(version: string): CatalogueEntry {
  return {
    ...standIn,
    packages: { ...standIn.packages, 'linux-x64': [{ name: 'semver', version }] },
  };
}

function withProgram(path: string): CatalogueEntry {
  return { ...standIn, program: { ...standIn.program, 'linux-x64': { kind: 'script', path } } };
}

function readdirNames(place: string): readonly string[] {
  return [place.slice(place.lastIndexOf('/') + 1)];
}
