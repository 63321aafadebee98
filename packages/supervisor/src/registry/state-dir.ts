/*
 * The state directory, checked before anything is read from it.
 *
 * It holds the cookies of shims and the output of commands, and its registry
 * decides which processes are signalled. So it must be a real directory, ours,
 * closed to others, on a local file system; anything else is refused with the
 * reason (SECURITY-CHECKLIST 17, O6). A recursive mkdir would follow a planted
 * symlink, so the last component is made by itself and looked at with lstat.
 *
 *   <state>/registry.db      the index, rebuildable
 *   <state>/instance.json    who this directory is
 *   <state>/runs/<runId>/    one per run
 *   <state>/trash/           what gc is deleting
 */
import { chmod, lstat, mkdir, statfs } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { assertNever, hasErrno } from '@clawdfather/kit';
import { SupervisorError } from '../errors.ts';
import { fileSystemKindOf, mountNameOf } from './file-system-kind.ts';
import type { FileSystemKind } from './file-system-kind.ts';
import { readMountinfo } from './mounts.ts';

export interface StateDir {
  readonly path: string;
  readonly registryFile: string;
  readonly instanceFile: string;
  readonly runsDir: string;
  readonly trashDir: string;
  /** O6 and C1 compare these with what `instance.json` says. */
  readonly dev: number;
  readonly ino: number;
  /** Things a person should know; never a reason to stop. */
  readonly warnings: readonly string[];
}

export interface StateDirDeps {
  /** The type number of the file system that holds `path`. */
  readonly fileSystemType?: (path: string) => Promise<number>;
  /** The text of /proc/self/mountinfo. */
  readonly mountinfo?: () => string;
  readonly uid?: number;
}

export async function openStateDir(path: string, deps: StateDirDeps = {}): Promise<StateDir> {
  if (!isAbsolute(path)) throw unsafe(path, 'its path is not absolute');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { dev, ino } = await openPrivateDir(path, deps.uid);
  const runsDir = join(path, 'runs');
  const trashDir = join(path, 'trash');
  const type = await (deps.fileSystemType ?? readFileSystemType)(path);
  const mountinfo = deps.mountinfo ?? readMountinfo;
  const kind = fileSystemKindOf(type, () => mountNameOf(mountinfo(), dev));
  await openPrivateDir(runsDir, deps.uid);
  await openPrivateDir(trashDir, deps.uid);
  return {
    path,
    registryFile: join(path, 'registry.db'),
    instanceFile: join(path, 'instance.json'),
    runsDir,
    trashDir,
    dev,
    ino,
    warnings: warningsAbout(path, kind),
  };
}

/** Makes it, or accepts one that is ours alone. */
async function openPrivateDir(
  path: string,
  uid = process.getuid?.(),
): Promise<{ dev: number; ino: number }> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasErrno(error, 'EEXIST')) throw error;
  });
  const found = await lstat(path);
  if (found.isSymbolicLink()) throw unsafe(path, 'it is a symbolic link');
  if (!found.isDirectory()) throw unsafe(path, 'it is not a directory');
  if (uid !== undefined && found.uid !== uid) throw unsafe(path, `user ${found.uid} owns it`);
  // Ours already, so nobody else can race this; an old umask is no reason to refuse.
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
  return { dev: found.dev, ino: found.ino };
}

function warningsAbout(path: string, found: FileSystemKind): readonly string[] {
  switch (found.kind) {
    case 'local':
      return [];
    case 'memory':
      return [`the state directory lies on ${found.name}: every record is lost at reboot`];
    case 'fuse':
      return [`the state directory lies on ${found.name}: make sure that no other host sees it`];
    case 'network':
      throw new SupervisorError(
        'state-on-network-fs',
        `the state directory lies on ${found.name}`,
        {
          detail: { path, fileSystem: found.name },
          hint: 'Use a directory on a local disk: a pid means nothing on another host.',
        },
      );
    default:
      return assertNever(found);
  }
}

async function readFileSystemType(path: string): Promise<number> {
  return (await statfs(path)).type;
}

function unsafe(path: string, why: string): SupervisorError {
  return new SupervisorError('state-dir-unsafe', `the state directory cannot be used: ${why}`, {
    detail: { path },
    hint: 'Use a directory of your own that nobody else can write to.',
  });
}
