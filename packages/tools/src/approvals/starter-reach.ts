/*
 * How far a command reaches that the starter list alone lets through: it is confined to the working tree and the system by the
 * kernel (Landlock, docs/protocol/shim.md). What arguments mean is not looked at: links, globs and options would defeat it.
 *
 * SR1 A command that reads files runs only inside a domain. If the kernel offers none, or there is no working tree, or the command
 *     runs outside of it, a person is asked, and is told why.
 * SR2 A command that reads no file of the user runs in every directory, inside a domain if the kernel offers one.
 */
import { unlessAborted } from '@clawdfather/kit';
import { realpath } from 'node:fs/promises';
import { userInfo } from 'node:os';
import {
  type Confinement,
  type ConfinementSupport,
  readConfinementSupport,
  shimBinaryPath,
} from '@clawdfather/supervisor';
import { isInside, realPathSoFar } from './real-paths.ts';
import { isPrivate, type SeenFiles } from './seen-files.ts';
import { systemGrants, systemTrees } from './system-grants.ts';
import { type TreeBounds, whyNoTree } from './working-tree.ts';

type LandlockSupport = Pick<ConfinementSupport, 'landlock' | 'why'>;

export interface StarterReachDeps {
  /* HOME of the environment; the home that the system knows of counts as well. */
  readonly home: string | undefined;
  /* Directories and files of our own: settings, state, secrets. */
  readonly ours: readonly string[];
  /* How a person chooses the working tree of this server, as a sentence goes on. */
  readonly treeAdvice?: string | undefined;
  /* Whether commands can be confined here; replaced in tests. */
  readonly support?: () => Promise<LandlockSupport>;
}

export interface ReachQuestion {
  /* Of the session; undefined where it has none. */
  readonly directory: string | undefined;
  /* Of the command. */
  readonly cwd: string;
  readonly readsFiles: boolean;
  /* Where the command finds what it names; undefined: where we do. */
  readonly seen?: SeenFiles | undefined;
  /* Bounds what may hang: a directory on a dead mount. */
  readonly patience?: AbortSignal | undefined;
}

export type Reach =
  /* Undefined: it reads no files, and the kernel offers no domain. */
  | { readonly kind: 'within'; readonly confine: Confinement | undefined }
  | { readonly kind: 'beyond'; readonly why: string };

export interface StarterReach {
  find(question: ReachQuestion): Promise<Reach>;
}

export function createStarterReach(deps: StarterReachDeps): StarterReach {
  const support = once(deps.support ?? readSupport);
  const facts = once(() => readFacts(deps));
  return {
    find: async (question) => {
      const { landlock, why = 'unknown' } = await support();
      const { bounds, grants, whyNoSystem } = await facts();
      const refusal =
        landlock === 0
          ? `this system cannot confine programs to the working tree (${why})`
          : whyNoSystem;
      if (!question.readsFiles) {
        return { kind: 'within', confine: refusal === undefined ? { grants } : undefined };
      }
      if (refusal !== undefined) return { kind: 'beyond', why: refusal };
      const found = await findTree(question, bounds);
      if (found.kind === 'outside') return { kind: 'beyond', why: found.why };
      if (found.kind === 'none') {
        const { treeAdvice = 'start the server in a project directory' } = deps;
        return { kind: 'beyond', why: `there is no working tree (${found.why}): ${treeAdvice}` };
      }
      const tree = { path: found.path, access: 'read', isOptional: false } as const;
      return { kind: 'within', confine: { grants: [...grants, tree] } };
    },
  };
}

interface Facts {
  readonly bounds: TreeBounds;
  readonly grants: Confinement['grants'];
  /* The system's trees cannot be granted where a user's own files lie in them. */
  readonly whyNoSystem: string | undefined;
}

async function readFacts({ home = '', ours }: StarterReachDeps): Promise<Facts> {
  const homes = [home, systemHome()].filter((path) => path !== '');
  const real = (paths: readonly string[]): Promise<readonly string[]> =>
    Promise.all(paths.map(realPathSoFar));
  const bounds = { homes: await real(homes), ours: await real(ours) };
  const trees = await real(systemTrees);
  const own = [...bounds.homes, ...bounds.ours].find((path) =>
    trees.some((tree) => isInside(path, tree)),
  );
  return {
    bounds,
    grants: systemGrants(),
    whyNoSystem:
      own === undefined ? undefined : `${own} lies among the system's files, which programs read`,
  };
}

/* Whatever HOME says: that is where keys lie. */
function systemHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A user without an entry has no home there.
    return '';
  }
}

type Tree =
  | { readonly kind: 'tree'; readonly path: string }
  /* There is one, and the command runs elsewhere. */
  | { readonly kind: 'outside'; readonly why: string }
  | { readonly kind: 'none'; readonly why: string };

async function findTree(question: ReachQuestion, bounds: TreeBounds): Promise<Tree> {
  const { directory, cwd, patience } = question;
  if (directory === undefined) return noTree('the session has no directory');
  const path = await realPathWithin(directory, patience);
  if (path === undefined) return noTree(`${directory} cannot be looked at`);
  const why = whyNoTree(path, bounds);
  if (why !== undefined) return noTree(`${path}: ${why}`);
  const place = cwd === directory ? path : await placeOf(question);
  if (place === undefined || !isInside(place, path)) {
    return { kind: 'outside', why: `${cwd} is outside the working tree ${path}` };
  }
  return { kind: 'tree', path };
}

/* Of the command, as it will find it. */
async function placeOf({ cwd, seen, patience }: ReachQuestion): Promise<string | undefined> {
  if (seen === undefined) return realPathWithin(cwd, patience);
  const finding = seen.find(cwd);
  const found = patience === undefined ? await finding : await unlessAborted(finding, patience);
  return found?.kind === 'at' && !isPrivate(found) ? found.inside : undefined;
}

function noTree(why: string): Tree {
  return { kind: 'none', why };
}

async function realPathWithin(
  path: string,
  patience: AbortSignal | undefined,
): Promise<string | undefined> {
  const found = realpath(path).catch(() => undefined);
  return patience === undefined ? await found : await unlessAborted(found, patience);
}

async function readSupport(): Promise<LandlockSupport> {
  try {
    return await readConfinementSupport(shimBinaryPath());
  } catch {
    return { landlock: 0, why: 'the shim has not been built' };
  }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
