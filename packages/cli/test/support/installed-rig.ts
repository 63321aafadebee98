/*
 * The product as people install it: the packed file, put by npm into an empty prefix of an ordinary user, offline, on a PATH that
 * has Node and a few tools of every system, and no compiler.
 *
 * Packing takes a few seconds, so a file of tests packs once; every test has a prefix and a home of its own. In the end what a
 * test left running is killed, by its pid, and all its files go.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, linkSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addGroup, addUser } from './two-users.ts';

const rootPath = fileURLToPath(new URL('../../../..', import.meta.url));
/* What the launcher, npm and the commands of the tests need. */
const tools = [
  'sh',
  'cat',
  'dirname',
  'env',
  'ls',
  'readlink',
  'rm',
  'seq',
  'sleep',
  'test',
  'touch',
];

/* Without it there is nothing to install. */
export const needsMusl = {
  skip: spawnSync('musl-gcc', ['--version']).status === 0 ? false : 'needs musl-gcc',
} as const;

export interface Packed {
  readonly dir: string;
  /* The file that `npm run pack` made. */
  readonly file: string;
  /* The same as another version, in which every file of code has another name. */
  readonly nextFile: string;
  readonly arches: readonly string[];
}

export const nextVersion = '0.99.0';

/* Not below the home of whoever runs the tests: another user has to read it. */
export function packOnce(): Packed {
  const dir = mkdtempSync(join(tmpdir(), 'clf-packed-'));
  chmodSync(dir, 0o755);
  // Without a compiler for the other kind of machine, what is left can still be tried.
  const arches = ['x64', 'arm64'].filter((arch) => arch === process.arch || canBuildFor(arch));
  const file = packInto(join(dir, 'first'), arches);
  return { dir, file, nextFile: makeNext(dir, file), arches };
}

function canBuildFor(arch: string): boolean {
  const script = join(rootPath, 'packages/shim/build/build.ts');
  return spawnSync(process.execPath, [script, `--arch=${arch}`]).status === 0;
}

export function packInto(out: string, arches: readonly string[]): string {
  const script = join(rootPath, 'tools/tasks/pack.ts');
  const args = [script, '--out', out, ...arches.flatMap((arch) => ['--arch', arch])];
  execFileSync(process.execPath, args, { cwd: rootPath, stdio: ['ignore', 'ignore', 'inherit'] });
  const [name = ''] = readdirSync(out);
  return join(out, name);
}

/* A version in which nothing of the bundle has the name it had, but for the first file. */
function makeNext(dir: string, file: string): string {
  const stage = unpack(file, join(dir, 'next'));
  for (const path of ['package.json', 'packages/cli/package.json']) {
    const manifest: object = JSON.parse(readFileSync(join(stage, path), 'utf8'));
    writeFileSync(join(stage, path), JSON.stringify({ ...manifest, version: nextVersion }));
  }
  const bundle = join(stage, 'packages/cli/dist/bundle');
  for (const name of readdirSync(bundle)) {
    const path = join(bundle, name);
    const renamed = (text: string): string => text.replaceAll(/-([\w-]{8})\.cjs\b/g, '-NEXT$1.cjs');
    writeFileSync(path, renamed(readFileSync(path, 'utf8')));
    renameSync(path, join(bundle, renamed(name)));
  }
  const args = [npmPath(), 'pack', stage, '--pack-destination', dir, '--offline', '--silent'];
  execFileSync(process.execPath, args, { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(dir, `clawdfather-${nextVersion}.tgz`);
}

export function unpack(file: string, to: string): string {
  mkdirSync(to);
  execFileSync('tar', ['-xzf', file, '-C', to]);
  return join(to, 'package');
}

function npmPath(): string {
  return realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
}

export interface Told {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly result: Promise<Told>;
  /* The next line of its stdout. */
  line(): Promise<string>;
}

export interface Installed {
  readonly prefix: string;
  readonly home: string;
  /* `npm COMMAND -g … --prefix PREFIX --offline`. */
  npm(command: 'install' | 'uninstall', what: string): void;
  /* To its end, which must be with this code; 0 unless told. */
  clf(words: readonly string[], code?: number): Promise<Told>;
  start(words: readonly string[]): Started;
}

export function createInstalled(test: TestContext): Installed {
  const root = mkdtempSync(join(tmpdir(), 'clf-installed-'));
  const made = new DisposableStack();
  test.after(() => made.dispose());
  made.defer(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const user = ordinaryUser(made, root);
  const home = user?.home ?? makeDir(join(root, 'home'));
  const prefix = makeDir(join(root, 'prefix'));
  const bin = makeDir(join(root, 'bin'));
  const ids = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  if (user !== undefined) chownSync(prefix, user.uid, user.gid);
  fillPath(bin);
  const options = { env: { PATH: bin, HOME: home, LANG: 'C.UTF-8' }, cwd: home, ...ids };
  const command = join(prefix, 'bin/clf');
  const start: Installed['start'] = (words) => {
    const started = startProcess(command, words, options);
    made.defer(() => void started.child.kill('SIGKILL'));
    return started;
  };
  return {
    prefix,
    home,
    npm: (word, what) => {
      const args = [
        npmPath(),
        word,
        '-g',
        what,
        '--prefix',
        prefix,
        '--offline',
        '--loglevel=error',
      ];
      const result = spawnSync(join(bin, 'node'), args, { ...options, encoding: 'utf8' });
      assert.equal(result.status, 0, `${result.stdout}${result.stderr}`);
    },
    start,
    clf: async (words, code = 0) => {
      const told = await start(words).result;
      assert.equal(told.code, code, `clf ${words.join(' ')}: ${told.stdout}${told.stderr}`);
      return told;
    },
  };
}

interface OrdinaryUser {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

let users = 0;

/*
 * Root installs for everybody, and need not be careful; so a user of its own does it, whose processes are all known to be the
 * test's. Undefined: we are an ordinary user.
 */
function ordinaryUser(made: DisposableStack, root: string): OrdinaryUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const name = `clfi${process.pid}n${(users += 1)}`;
  // Not of the user's name: such a group goes with the user.
  const gid = addGroup(made, `${name}g`);
  const { uid, home } = addUser(made, { name, gid, root });
  made.defer(() => {
    while (processesOf(uid).length > 0) for (const pid of processesOf(uid)) endProcess(pid);
  });
  return { uid, gid, home };
}

/* What is dead and not yet reaped is none. */
function processesOf(uid: number): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return statSync(`/proc/${pid}`).uid === uid && !/\) [ZX] /.test(stat);
    } catch {
      // It ended while we looked.
      return false;
    }
  });
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function makeDir(path: string): string {
  mkdirSync(path, { mode: 0o755 });
  return path;
}

function fillPath(bin: string): void {
  try {
    linkSync(process.execPath, join(bin, 'node'));
  } catch {
    // Another file system.
    copyFileSync(process.execPath, join(bin, 'node'));
  }
  for (const name of tools) {
    const found = ['/usr/bin', '/bin'].map((dir) => join(dir, name)).find((path) => isThere(path));
    if (found !== undefined) symlinkSync(found, join(bin, name));
  }
}

function isThere(path: string): boolean {
  return readdirSync(dirname(path)).includes(path.slice(path.lastIndexOf('/') + 1));
}

function startProcess(
  command: string,
  words: readonly string[],
  options: { readonly env: Record<string, string>; readonly cwd: string },
): Started {
  const child = spawn(command, [...words], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { promise: result, resolve, reject } = Promise.withResolvers<Told>();
  child.on('error', reject);
  child.on('close', (code) =>
    resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
  );
  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error(`it ended: ${(await result).stderr}`);
    return next.value;
  };
  return { child, pid: child.pid ?? 0, result, line };
}
