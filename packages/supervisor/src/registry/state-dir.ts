/*
 * The state directory, checked before anything is read from it.
 *
 * It holds the cookies of shims and the output of commands, and its registry
 * decides which processes are signalled. So it must be a real directory, ours,
 * closed to others, on a local file system (O6), and no other user may be able
 * to exchange it; anything else is refused with the reason and its cure.
 *
 *   <state>/registry.db      the index, rebuildable
 *   <state>/instance.json    who this directory is
 *   <state>/runs/<runId>/    one per run
 *   <state>/trash/           what gc is deleting
 *   <state>/rates/<key>      how much of a rate of output is used; made with the first run that has one
 */
import { statfs } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { assertNever } from '@clawdfather/kit';
import { openPrivateDir, type Unsafe } from '@clawdfather/kit/files';
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
}

export async function openStateDir(path: string, deps: StateDirDeps = {}): Promise<StateDir> {
  if (!isAbsolute(path)) throw unusable(path, 'its path is not absolute', 'Name it from the root.');
  const { dev, ino } = openPrivateDir(path, unsafe);
  const runsDir = join(path, 'runs');
  const trashDir = join(path, 'trash');
  const type = await (deps.fileSystemType ?? readFileSystemType)(path);
  const mountinfo = deps.mountinfo ?? readMountinfo;
  const kind = fileSystemKindOf(type, () => mountNameOf(mountinfo(), dev));
  openPrivateDir(runsDir, unsafe);
  openPrivateDir(trashDir, unsafe);
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

function unsafe({ path, why, cure }: Unsafe): SupervisorError {
  return unusable(path, `${path} is not safe from other users: ${why}`, `Mend it: ${cure}`);
}

function unusable(path: string, why: string, hint: string): SupervisorError {
  const message = `the state directory cannot be used: ${why}`;
  return new SupervisorError('state-dir-unsafe', message, { detail: { path }, hint });
}
