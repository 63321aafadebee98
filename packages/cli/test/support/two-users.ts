/*
 * Two real users of this machine who share their primary group, and a small installation of ours that both can read. Needs root;
 * everything goes when the test ends.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getuid } from 'node:process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launcherPath } from './cli-process.ts';

export const needsRoot = { skip: getuid?.() === 0 ? false : 'needs root' } as const;

export interface User {
  readonly name: string;
  readonly uid: number;
  readonly home: string;
}

export interface TwoUsers {
  /* A directory that both can enter, for what a test makes. */
  readonly root: string;
  readonly us: User;
  readonly other: User;
  /* Primary group of both. */
  readonly sharedGid: number;
  /* A group without any member. */
  readonly emptyGid: number;
  /* The place of the bundle that the launcher starts. */
  readonly mainPath: string;
  run(user: User, argv: readonly string[], options?: RunOptions): string;
  /* The launcher, with Node, as a user calls it. */
  launch(user: User, options?: RunOptions): string;
  make(path: string, entry: Entry): string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly umask?: string;
  readonly gid?: number;
}

export interface Entry {
  readonly uid: number;
  readonly mode: number;
  readonly gid?: number;
}

const kitSource = fileURLToPath(new URL('../../../kit/src', import.meta.url));

export function createTwoUsers(test: TestContext, main: string): TwoUsers {
  const root = mkdtempSync(join(tmpdir(), 'clf-users-'));
  // In the opposite order: a group goes when its users have gone.
  const made = new DisposableStack();
  test.after(() => made.dispose());
  made.defer(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const sharedGid = addGroup(made, `clfs${process.pid}`);
  const emptyGid = addGroup(made, `clfe${process.pid}`);
  const addOne = (name: string): User => addUser(made, { name, gid: sharedGid, root });
  const [us, other] = [addOne(`clfu${process.pid}`), addOne(`clfo${process.pid}`)];
  const node = join(root, 'node');
  try {
    linkSync(process.execPath, node);
  } catch {
    // Another file system.
    copyFileSync(process.execPath, node);
  }
  const launcher = join(root, 'installed/packages/cli/bin/clawdfather.cjs');
  const mainPath = join(root, 'installed/packages/cli/dist/bundle/main.cjs');
  for (const path of [launcher, mainPath]) mkdirSync(dirname(path), { recursive: true });
  writeFileSync(join(root, 'installed/packages/cli/package.json'), '{"type":"module"}');
  copyFileSync(launcherPath, launcher);
  writeFileSync(mainPath, main);
  cpSync(kitSource, join(root, 'kit'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  const run: TwoUsers['run'] = (user, argv, { env = {}, umask = '022', gid = sharedGid } = {}) => {
    const result = spawnSync('/bin/sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', ...argv], {
      uid: user.uid,
      gid,
      cwd: '/',
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', HOME: user.home, ...env },
    });
    if (result.status !== 0) throw new Error(`${argv.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  return {
    root,
    us,
    other,
    sharedGid,
    emptyGid,
    mainPath,
    run: (user, argv, options) =>
      run(user, argv[0] === 'node' ? [node, ...argv.slice(1)] : argv, options),
    launch: (user, options) => run(user, [node, launcher], options),
    make: (path, entry) => {
      mkdirSync(path, { recursive: true });
      own(path, { gid: sharedGid, ...entry });
      return path;
    },
  };
}

export function own(path: string, { uid, gid = uid, mode }: Entry): void {
  chownSync(path, uid, gid);
  chmodSync(path, mode);
}

export function addGroup(made: DisposableStack, name: string): number {
  account('groupadd', name);
  made.defer(() => account('groupdel', name));
  return Number(fieldsOf('/etc/group', name)[2]);
}

export function addUser(
  made: DisposableStack,
  { name, gid, root }: { readonly name: string; readonly gid: number; readonly root: string },
): User {
  const home = join(root, name);
  // No password; with none named it would be locked, for sshd too.
  account('useradd', '-M', '-N', '-p', '*', '-g', String(gid), '-d', home, name);
  made.defer(() => account('userdel', '-f', name));
  const uid = Number(fieldsOf('/etc/passwd', name)[2]);
  mkdirSync(home);
  own(home, { uid, gid, mode: 0o755 });
  return { name, uid, home };
}

/* Another test may hold the lock of these files for a moment; `flock` waits for its turn. */
function account(...argv: readonly string[]): void {
  execFileSync('flock', ['/run/lock', ...argv], { stdio: ['ignore', 'ignore', 'pipe'] });
}

function fieldsOf(path: string, name: string): string[] {
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  return (line ?? '').split(':');
}
