/*
 * Reads what a plan of a shield needs to know: where links lead, and which directories are put in the place of shared ones.
 *
 * Directories in a person's home that are missing and that a login would use are made, and so are missing start-up files of
 * shells that are installed: a mount needs a place, and what is not there could be made by the command.
 */
import { accessSync, constants } from 'node:fs';
import { chown, mkdir, readlink, realpath, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { errnoOf } from '@clawdfather/kit';
import { isInside, realPathSoFar } from '../approvals/real-paths.ts';
import type { ShieldPlaces } from './create-shield.ts';
import type { ShieldFacts } from './plan-shield.ts';
import { makePrivatePlaces } from './private-places.ts';
import {
  hiddenOfHome,
  hiddenOfSystem,
  madeDirectories,
  readOnlyOfHome,
  replacedDirectories,
  type StartupFile,
  startupFiles,
} from './shield-places.ts';

export interface ShieldUser {
  readonly uid: number;
  readonly gid: number;
  readonly home: string | undefined;
}

export interface FactsQuestion extends Omit<ShieldPlaces, 'home'> {
  readonly user: ShieldUser;
  readonly hide: readonly string[];
  readonly tree: string | undefined;
}

export async function readShieldFacts(question: FactsQuestion): Promise<ShieldFacts> {
  const { user, hide, runtimeDir, privateDir } = question;
  const { home, systemHome } = await homesOf(user);
  const homes = [home, systemHome].filter((path) => path !== undefined);
  if (home !== undefined) await makeMissing(home, user);
  for (const path of question.ownDirectories) await makeOwn(path);
  const privatePlaces = await makePrivatePlaces(privateDir, user);
  const real = (paths: readonly string[]): Promise<readonly string[]> =>
    Promise.all(paths.map(realPathSoFar));
  const ours = await real([...question.ownDirectories, ...question.ours]);
  const [tree] = question.tree === undefined ? [] : await real([question.tree]);
  const ofHome = [...hiddenOfHome, ...startupFiles].map(({ path }) => path);
  const places = [
    ...hide,
    ...hiddenOfSystem.map(({ path }) => path),
    ...homes.flatMap((home) => [...ofHome, ...readOnlyOfHome].map((path) => join(home, path))),
  ];
  const programs = [...question.programs, ...programsOfPath(question.searchPath, homes)];
  return {
    isRoot: user.uid === 0,
    home,
    systemHome,
    ours,
    programs: (await real(programs)).filter((path) => tree === undefined || !isInside(path, tree)),
    tree,
    runtimeDir: runtimeDir === undefined ? undefined : await realPathSoFar(runtimeDir),
    ...privatePlaces,
    targets: await targetsOf(places),
  };
}

/* Where we may not make it, neither may a command. */
async function makeOwn(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/*
 * Directories of the search path in the home directory: what is put there, a person runs next. Those that npm puts there for the
 * time of a script are no person's. And those in places that are replaced: programs in them are to be found.
 */
function programsOfPath(searchPath: string, homes: readonly string[]): readonly string[] {
  const isOfHome = (path: string): boolean =>
    homes.some((home) => path !== home && isInside(path, home)) &&
    !path.endsWith('node_modules/.bin');
  const isReplaced = (path: string): boolean =>
    replacedDirectories.some((top) => path !== top && isInside(path, top));
  return searchPath.split(':').filter((path) => isOfHome(path) || isReplaced(path));
}

/* The root of all files is no home. */
async function homesOf({
  uid,
  home,
}: ShieldUser): Promise<Pick<ShieldFacts, 'home' | 'systemHome'>> {
  const known = uid === process.getuid?.() ? homeInSystem() : undefined;
  const real = async (path: string | undefined): Promise<string | undefined> => {
    const found = path === undefined ? '/' : await realPathSoFar(path);
    return found === '/' ? undefined : found;
  };
  const [own, system] = [await real(home), await real(known)];
  return { home: own, systemHome: system === own ? undefined : system };
}

function homeInSystem(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // A user without an entry has no home there.
    return undefined;
  }
}

/* Only where the last part is a link: the way to it is without links in a plan. */
async function targetsOf(places: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    places.map(async (path) => {
      const isLink = await readlink(path).then(
        () => true,
        () => false,
      );
      if (!isLink) return [];
      const target = await realpath(path).catch(() => undefined);
      return target === undefined ? [] : [[path, target] as const];
    }),
  );
  return new Map(found.flat());
}

async function makeMissing(home: string, user: ShieldUser): Promise<void> {
  // Nothing is made in a home that is not there, or not to be written to.
  try {
    accessSync(home, constants.W_OK);
  } catch {
    return;
  }
  const isOther = process.getuid?.() === 0 && user.uid !== 0;
  const own = async (path: string): Promise<void> => {
    if (isOther) await chown(path, user.uid, user.gid);
  };
  for (const path of madeDirectories) await makeDirectory(home, path, own);
  for (const file of startupFiles) if (isInstalled(file)) await makeFile(home, file, own);
}

type Own = (path: string) => Promise<void>;

async function makeDirectory(home: string, path: string, own: Own): Promise<void> {
  let at = home;
  for (const part of path.split('/')) {
    at = join(at, part);
    try {
      await mkdir(at, { mode: 0o700 });
      await own(at);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function makeFile(home: string, { path, text }: StartupFile, own: Own): Promise<void> {
  const file = join(home, path);
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o644 });
    await own(file);
  } catch (error) {
    // A link that leads nowhere is there, too.
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function isInstalled({ shell }: StartupFile): boolean {
  return ['/bin', '/usr/bin', '/usr/local/bin'].some((directory) => {
    try {
      accessSync(join(directory, basename(shell)), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
