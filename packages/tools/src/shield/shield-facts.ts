/*
 * Reads what a plan of a shield needs to know: where links lead, and which directories are put in the place of shared ones.
 */
import { lstat, mkdir } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '@clawdfather/kit';
import { isInside, realPathSoFar } from '../approvals/real-paths.ts';
import type { ShieldPlaces } from './create-shield.ts';
import type { ShieldFacts } from './plan-shield.ts';
import { makeMissing } from './make-missing.ts';
import { readWays } from './place-ways.ts';
import { makePrivatePlaces } from './private-places.ts';
import {
  hiddenOfHome,
  hiddenOfSystem,
  readOnlyOfHome,
  replacedDirectories,
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
  readonly toolsDir?: string | undefined;
  readonly sshDir?: string | undefined;
}

export async function readShieldFacts(question: FactsQuestion): Promise<ShieldFacts> {
  const { user, hide, runtimeDir, privateDir, searchPath } = question;
  const { home, systemHome } = await homesOf(user);
  const homes = [home, systemHome].filter((path) => path !== undefined);
  if (home !== undefined) await makeMissing({ home, user, searchPath });
  for (const path of [...question.ownDirectories, ...question.given]) await makeOwn(path);
  const privatePlaces = await makePrivatePlaces(privateDir, user);
  const real = (paths: readonly string[]): Promise<readonly string[]> =>
    Promise.all(paths.map(realPathSoFar));
  const ours = await real([...question.ownDirectories, ...question.ours]);
  const given = await Promise.all(question.given.map(readGiven));
  const tree = await readTree(question.tree);
  const ofHome = [...hiddenOfHome, ...startupFiles].map(({ path }) => path);
  const places = [
    ...hide,
    ...hiddenOfSystem.map(({ path }) => path),
    ...homes.flatMap((home) => [...ofHome, ...readOnlyOfHome].map((path) => join(home, path))),
  ];
  const programs = [...question.programs, ...programsOfPath(searchPath, homes)];
  const reached = (await real(programs)).filter((path) => !isAround(path, tree));
  if (question.toolsDir !== undefined) refuseOwnPrograms(await real(question.programs), tree);
  const own = [...question.ownDirectories, ...question.given, ...question.ours, ...programs];
  return {
    isRoot: user.uid === 0,
    home,
    systemHome,
    ours,
    given,
    programs: reached,
    tree,
    toolsDir: question.toolsDir === undefined ? undefined : await realPathSoFar(question.toolsDir),
    sshDir: question.sshDir === undefined ? undefined : await realPathSoFar(question.sshDir),
    runtimeDir: runtimeDir === undefined ? undefined : await realPathSoFar(runtimeDir),
    ...privatePlaces,
    ...(await readWays({ places, own, homes })),
  };
}

/*
 * SH5 A tree is named by its real path, and nothing else is taken for it. A command that may write in the directory above could
 * otherwise put a link in its place, and the next command would have what the link leads to for its tree: the real /tmp, or for
 * root /etc. A new directory of the command's own in its place is no more than it had.
 */
async function readTree(named: string | undefined): Promise<string | undefined> {
  if (named === undefined) return undefined;
  const tree = await realPathSoFar(named);
  if (tree === named.replace(/(?<=.)\/+$/, '')) return tree;
  throw new Error(
    `the working tree ${named} leads to ${tree}: name it by that path, if it is the one that you mean`,
  );
}

/* SH6 */
async function readGiven(named: string): Promise<string> {
  const path = join(await realPathSoFar(dirname(named)), basename(named));
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return path;
  throw new Error(`${path} is not a directory, and files for agents lie there: move it away`);
}

/* The tree is one of its directories: it would be read-only as a whole. */
function isAround(path: string, tree: string | undefined): boolean {
  return tree !== undefined && isInside(tree, path);
}

/* What serves the tools runs outside. A command that could change its files would run there, too. */
function refuseOwnPrograms(programs: readonly string[], tree: string | undefined): void {
  const program = programs.find((path) => isAround(path, tree));
  if (program === undefined) return;
  throw new Error(
    `the working tree is part of Clawdfather's own program (${program}), which serves the tools: choose another one`,
  );
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
