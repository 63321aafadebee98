/*
 * The way to a place, where parts of it may be symbolic links: a step names a path without any (but for its last part, which may be
 * one). A link on the way is a place of its own: where a command could put another thing there, the name would lead elsewhere.
 */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '../approvals/real-paths.ts';
import type { ShieldFacts } from './plan-shield.ts';

export interface WaysQuestion {
  readonly places: readonly string[];
  /* Of our own: what they lead to is known, and only the links on the way are asked for. */
  readonly own: readonly string[];
  readonly homes: readonly string[];
}

interface Way {
  /* Where the place is. */
  readonly at: string;
  /* Where it leads, if it is a link itself. */
  readonly target: string | undefined;
  /* On the way to it, each without links above it. */
  readonly links: readonly string[];
}

type TargetOf = (path: string) => Promise<string | undefined>;

export async function readWays({
  places,
  own,
  homes,
}: WaysQuestion): Promise<Pick<ShieldFacts, 'places' | 'links'>> {
  const targetOf = createTargetReader();
  const found = new Map<string, readonly string[]>();
  const links = new Set<string>();
  for (const path of new Set([...places, ...own])) {
    const way = await readWay(path, targetOf);
    for (const link of way.links) links.add(link);
    if (places.includes(path))
      found.set(path, [way.at, ...(way.target === undefined ? [] : [way.target])]);
    else if (way.target !== undefined) links.add(way.at);
  }
  const kept = await Promise.all([...links].map((link) => isReplaceable(link, homes)));
  return { places: found, links: [...links].filter((_, index) => kept[index]) };
}

/* Directories that many places have in common are looked at once. */
function createTargetReader(): TargetOf {
  const targets = new Map<string, Promise<string | undefined>>();
  return (path) => {
    const target = targets.get(path) ?? readTarget(path);
    targets.set(path, target);
    return target;
  };
}

/* Undefined where there is no link, or one that leads nowhere: that one is the place. */
async function readTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}

async function readWay(path: string, targetOf: TargetOf): Promise<Way> {
  const links: string[] = [];
  let above = '/';
  const parts = path.split('/').filter((part) => part !== '');
  for (const part of parts.slice(0, -1)) {
    const next = join(above, part);
    const target = await targetOf(next);
    if (target !== undefined) links.push(next);
    above = target ?? next;
  }
  const at = join(above, parts.at(-1) ?? '');
  return { at, target: await targetOf(at), links };
}

/*
 * Whether a command of the user could put another thing in the place of a link: not in directories of root, such as those with /bin
 * and /var/run, unless they are in a home.
 */
async function isReplaceable(link: string, homes: readonly string[]): Promise<boolean> {
  const above = dirname(link);
  if (homes.some((home) => isInside(above, home))) return true;
  return await lstat(above).then(
    ({ uid }) => uid !== 0,
    () => false,
  );
}
