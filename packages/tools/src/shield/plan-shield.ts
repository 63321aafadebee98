/*
 * From what is known about a user and a working tree to the steps of a shield (docs/shield.md). Pure.
 *
 * SH1 What is ours (state, settings, keys, sockets) is hidden, whatever else is set.
 * SH2 Whatever is hidden or read-only is pinned from above: no directory or link on the way to it can be renamed, so
 *     that nothing else can take its place.
 * SH3 The working tree is there, also below what is hidden, unless it is one of our own directories.
 * SH4 Steps are in an order in which none uncovers what another one covered: what is put back, kept or pinned comes
 *     before what is hidden or read-only inside of it.
 * SH6 What we give to agents is there, also below what is replaced, and read-only: we write to it from outside of the shield, and a name
 *     in it that an agent could move would lead us elsewhere. For the same reason a link is never taken for it.
 */
import { dirname, join } from 'node:path';
import { sshDirInside, toolsDirInside } from '@clawdfather/protocol';
import type { ShieldStep } from '@clawdfather/supervisor';
import { isInside } from '../approvals/real-paths.ts';
import {
  deviceLinks,
  devicesForRoot,
  doorsOfRuntime,
  hiddenOfHome,
  type HiddenPlace,
  hiddenOfSystem,
  keptForRoot,
  keptOfRun,
  controlGroups,
  readOnlyForRoot,
  readOnlyOfHome,
  startupFiles,
} from './shield-places.ts';
import type { ShieldSettings } from './shield-settings.ts';

/* All paths are absolute; a link is followed but for the last part of a path. */
export interface ShieldFacts {
  readonly isRoot: boolean;
  readonly home: string | undefined;
  /* The home that the system knows of, if HOME is another one: a login goes there. */
  readonly systemHome: string | undefined;
  /* Of our own: settings, state, secrets, runtime, cache. */
  readonly ours: readonly string[];
  /* Directories of ours with what is given to agents. */
  readonly given: readonly string[];
  /* What our next start, or a person's next command, runs; outside of the tree. */
  readonly programs: readonly string[];
  /* Of the session. */
  readonly tree: string | undefined;
  /* Of the tool socket that is let in (TS1). */
  readonly toolsDir?: string | undefined;
  /* Of the socket of an SSH host that is let in. */
  readonly sshDir?: string | undefined;
  /* XDG_RUNTIME_DIR of the user. */
  readonly runtimeDir: string | undefined;
  /* Directories of ours that are put in the place of shared ones. */
  readonly ownTmp: string;
  readonly ownVarTmp: string;
  readonly ownRuntime: string;
  /* Where a place is, if links are on the way to it, and where it leads, if it is one; by the path that it is known by. */
  readonly places: ReadonlyMap<string, readonly string[]>;
  /* Links on the way to places, which must not be replaced. */
  readonly links: readonly string[];
}

export function planShield(facts: ShieldFacts, settings: ShieldSettings): readonly ShieldStep[] {
  const hidden = whereTheyAre(facts, hiddenPlaces(facts, settings));
  const readOnly = whereTheyAre(facts, readOnlyPlaces(facts, settings));
  const shared = sharedSteps(facts, settings);
  const step = (kind: 'pin' | 'hide' | 'read-only' | 'keep') => {
    return (path: string): ShieldStep => ({ kind, path });
  };
  return [
    ...writableSteps(facts, settings),
    ...shared,
    ...treesBelow(facts, shared).map(step('keep')),
    ...pinsFor([...hidden, ...readOnly], facts).map(step('pin')),
    ...hidden.map(step('hide')),
    ...readOnly.map(step('read-only')),
    { kind: 'terminals', path: '/dev/pts' },
  ];
}

function isOpen({ door }: HiddenPlace, { open }: ShieldSettings): boolean {
  return door !== undefined && open.includes(door);
}

function hiddenPlaces(facts: ShieldFacts, settings: ShieldSettings): readonly string[] {
  const closed = (places: readonly HiddenPlace[]): readonly string[] =>
    places.filter((place) => !isOpen(place, settings)).map(({ path }) => path);
  return [
    ...facts.ours,
    ...closed(hiddenOfSystem),
    ...homesOf(facts).flatMap((home) => closed(hiddenOfHome).map((path) => join(home, path))),
    ...settings.hide,
  ];
}

function readOnlyPlaces(facts: ShieldFacts, { open }: ShieldSettings): readonly string[] {
  const ofHome = [
    ...startupFiles.map(({ path }) => path),
    ...readOnlyOfHome,
    // Whoever may use the keys may not say which keys are let in here.
    ...(open.includes('ssh') ? ['.ssh'] : []),
  ];
  return [
    ...homesOf(facts).flatMap((home) => ofHome.map((path) => join(home, path))),
    ...facts.programs,
    ...facts.given,
    ...(facts.isRoot ? readOnlyForRoot : []),
    controlGroups,
    ...(facts.toolsDir === undefined ? [] : [toolsDirInside]),
    ...(facts.sshDir === undefined ? [] : [sshDirInside]),
  ];
}

function whereTheyAre({ places }: ShieldFacts, known: readonly string[]): readonly string[] {
  return [...new Set(known.flatMap((path) => places.get(path) ?? [path]))];
}

/*
 * SH3, SH6, and programs that a person's search path names. Only where something covers them: elsewhere a mount of its own would do
 * nothing but uncover.
 */
function treesBelow(facts: ShieldFacts, shared: readonly ShieldStep[]): readonly string[] {
  const { tree, ours, programs, given } = facts;
  const isOurs = (path: string): boolean => ours.some((own) => isInside(path, own));
  const isCovered = (path: string): boolean =>
    shared.some((step) => isCover(step) && isInside(path, step.path));
  const trees = [...programs, ...given, ...(tree === undefined ? [] : [tree])];
  return trees.filter((path) => isCovered(path) && !isOurs(path)).sort(byDepth);
}

function isCover({ kind }: ShieldStep): boolean {
  return kind === 'hide' || kind === 'replace';
}

/*
 * SH2, from the top down: a mount hides pins that were made below it before. What is replaced or hidden as a whole is a mount point
 * already, and the kernel's own directories cannot be renamed.
 */
function pinsFor(places: readonly string[], { runtimeDir, links }: ShieldFacts): readonly string[] {
  const above = new Set<string>(links);
  for (const place of [...places, ...links]) {
    for (let path = dirname(place); path !== '/'; path = dirname(path)) above.add(path);
  }
  const mounted = ['/proc', '/dev', '/run', ...(runtimeDir === undefined ? [] : [runtimeDir])];
  return [...above].filter((path) => !mounted.some((top) => isInside(path, top))).sort(byDepth);
}

function byDepth(one: string, other: string): number {
  return one.split('/').length - other.split('/').length || (one < other ? -1 : 1);
}

/*
 * Where writing is limited, or the user is root: everything is read-only first, and what may be written is put back. A home that
 * is not HOME is read-only as a whole: nothing is made there, so nothing in it could be protected piece by piece.
 */
function writableSteps(facts: ShieldFacts, { write }: ShieldSettings): readonly ShieldStep[] {
  const { isRoot, tree, home, systemHome } = facts;
  const isLimited = isRoot || write.length > 0;
  const closed = [...(isLimited ? ['/'] : []), ...(systemHome === undefined ? [] : [systemHome])];
  if (closed.length === 0) return [];
  const isClosed = (path: string): boolean => closed.some((top) => isInside(path, top));
  const trees = [
    ...(isLimited ? keptForRoot : []),
    ...(home !== undefined && write.length === 0 ? [home] : []),
    ...(tree === undefined || tree === '/' ? [] : [tree]),
    ...write.filter((path) => path !== '/'),
  ];
  return [
    ...closed.map((path): ShieldStep => ({ kind: 'read-only', path })),
    ...[...new Set(trees)]
      .filter(isClosed)
      .sort(byDepth)
      .map((path): ShieldStep => ({ kind: 'keep', path })),
  ];
}

function homesOf({ home, systemHome }: ShieldFacts): readonly string[] {
  return [home, systemHome].filter((path) => path !== undefined);
}

/* Directories that everybody uses, and in which sockets of other programs lie. */
function sharedSteps(facts: ShieldFacts, settings: ShieldSettings): readonly ShieldStep[] {
  const { isRoot, runtimeDir, toolsDir, sshDir, ownTmp, ownVarTmp, ownRuntime } = facts;
  const keep = (path: string): ShieldStep => ({ kind: 'keep', path });
  const isTmpOpen = settings.open.includes('tmp');
  const kept = keptOfRun.filter((place) => place.door === undefined || isOpen(place, settings));
  return [
    { kind: 'hide', path: '/run' },
    ...kept.map(({ path }) => keep(path)),
    ...(toolsDir === undefined
      ? []
      : [{ kind: 'replace', path: toolsDirInside, source: toolsDir } as const]),
    ...(sshDir === undefined
      ? []
      : [{ kind: 'replace', path: sshDirInside, source: sshDir } as const]),
    ...(runtimeDir === undefined
      ? []
      : [{ kind: 'replace', path: runtimeDir, source: ownRuntime } as const]),
    ...(runtimeDir === undefined
      ? []
      : doorsOfRuntime
          .filter((place) => isOpen(place, settings))
          .map(({ path }) => keep(join(runtimeDir, path)))),
    ...(isTmpOpen
      ? []
      : ([
          { kind: 'replace', path: '/tmp', source: ownTmp },
          { kind: 'replace', path: '/var/tmp', source: ownVarTmp },
        ] as const)),
    ...(isRoot ? deviceSteps() : []),
  ];
}

function deviceSteps(): readonly ShieldStep[] {
  return [
    { kind: 'hide', path: '/dev' },
    ...[...devicesForRoot, '/dev/pts'].map((path): ShieldStep => ({ kind: 'keep', path })),
    ...deviceLinks.map(([path, target]): ShieldStep => ({ kind: 'link', path, target })),
  ];
}
