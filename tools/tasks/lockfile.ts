/*
 * The lockfile as data: which optional packages it leaves out, and the
 * entries that stand in for them. See complete-lockfile.ts for the reason.
 */

export interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
  readonly [field: string]: unknown;
}

const exactVersion = /^\d+\.\d+\.\d+(?:[-+].+)?$/;

/* What packages call a platform, and what npm's fields call it. */
const osNames: readonly (readonly [string, string])[] = [
  ['android', 'android'],
  ['darwin', 'darwin'],
  ['freebsd', 'freebsd'],
  ['netbsd', 'netbsd'],
  ['openbsd', 'openbsd'],
  ['sunos', 'sunos'],
  ['aix', 'aix'],
  ['openharmony', 'openharmony'],
  ['win32', 'win32'],
  ['windows', 'win32'],
  ['linux', 'linux'],
];
const cpuNames = [
  'arm64',
  'arm',
  'x64',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
];

export function parseLockfile(text: string): Lockfile {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('packages' in value)) {
    throw new TypeError('not a lockfile of version 2 or 3');
  }
  return value as Lockfile;
}

export function withMissingOptionals(lockfile: Lockfile): {
  readonly lockfile: Lockfile;
  readonly added: readonly string[];
} {
  const packages = { ...lockfile.packages };
  const added: string[] = [];
  for (const [path, entry] of Object.entries(lockfile.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isResolved(packages, path, name)) continue;
      packages[`node_modules/${name}`] = standIn(name, version, entry.dev === true);
      added.push(name);
    }
  }
  return { lockfile: { ...lockfile, packages: sortByPath(packages) }, added };
}

function standIn(name: string, version: string, isDev: boolean): LockedPackage {
  if (!exactVersion.test(version)) {
    throw new Error(`${name}: an optional package is asked for by range: ${version}`);
  }
  const words = name.split(/[/-]/);
  const os = osNames.find(([word]) => words.includes(word))?.[1];
  const cpu = cpuNames.find((word) => words.includes(word));
  if (cpu === undefined) throw new Error(`${name}: the name tells no platform`);
  const isMusl = words.some((word) => word.startsWith('musl'));
  return {
    version,
    cpu: [cpu],
    ...(isDev ? { dev: true } : {}),
    ...(isMusl ? { libc: ['musl'] } : {}),
    optional: true,
    ...(os === undefined ? {} : { os: [os] }),
  };
}

/* Node's own look-up: next to the package, then one folder up, to the root. */
function isResolved(
  packages: Readonly<Record<string, LockedPackage>>,
  fromPath: string,
  name: string,
): boolean {
  for (let base = fromPath; ; base = parentOf(base)) {
    if (`${base === '' ? '' : `${base}/`}node_modules/${name}` in packages) return true;
    if (base === '') return false;
  }
}

function parentOf(path: string): string {
  const cut = path.lastIndexOf('/node_modules/');
  return cut === -1 ? '' : path.slice(0, cut);
}

function sortByPath(
  packages: Readonly<Record<string, LockedPackage>>,
): Record<string, LockedPackage> {
  return Object.fromEntries(
    Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, 'en')),
  );
}
