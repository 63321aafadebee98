/*
 * Rule: arrows between packages never turn back.
 *
 * The table below is that of ARCHITECTURE.md. A new package or a new arrow is a change of the
 * table, with its reason in docs/decisions/. Tests may use what package.json
 * declares for them. Manifests and tsconfig references must tell the same
 * story as the imports, or an installed package would miss what it needs.
 */
import { posix } from 'node:path';
import { importsOf } from '../imports.ts';
import { packageNames, packageOf, scripts } from '../source-files.ts';
import type { Finding, Tree } from '../tree.ts';

interface Allowance {
  readonly imports: readonly string[] | 'anything';
  /* May be imported as types only: the implementation comes from outside. */
  readonly typesOnly?: readonly string[];
  /* May be imported by this one file only. */
  readonly onlyIn?: Readonly<Record<string, string>>;
  /* Runs in a browser, so nothing of Node's, but for what lies behind `nodeDoor`. */
  readonly isBrowserSafe?: boolean;
  /* A side door for Node alone: what runs in a browser may not come through it. */
  readonly nodeDoor?: string;
}

export const packageTable: Readonly<Record<string, Allowance>> = {
  kit: { imports: [], isBrowserSafe: true, nodeDoor: 'files' },
  protocol: { imports: ['kit'], isBrowserSafe: true },
  shim: { imports: ['kit'] },
  sqlite: { imports: ['kit'] },
  supervisor: { imports: ['kit', 'shim', 'sqlite'] },
  tools: { imports: ['kit', 'protocol', 'supervisor'] },
  sessions: { imports: ['kit'] },
  ssh: { imports: ['kit', 'protocol', 'supervisor'] },
  agents: { imports: ['kit', 'protocol', 'supervisor', 'tools'] },
  threads: { imports: ['kit', 'protocol', 'supervisor', 'agents'] },
  store: {
    imports: ['kit', 'sqlite'],
    typesOnly: ['protocol', 'supervisor', 'tools', 'sessions', 'ssh', 'agents', 'threads'],
  },
  gateway: {
    imports: [
      'kit',
      'protocol',
      'shim',
      'supervisor',
      'tools',
      'sessions',
      'ssh',
      'agents',
      'threads',
      'store',
    ],
  },
  sdk: { imports: ['kit', 'protocol'], isBrowserSafe: true },
  cli: {
    imports: ['kit', 'protocol', 'sdk', 'supervisor', 'tools', 'agents', 'gateway'],
    onlyIn: {
      agents: 'packages/cli/src/agents/load-agents.ts',
      gateway: 'packages/cli/src/serve.ts',
    },
  },
  web: { imports: ['kit', 'protocol', 'sdk'], isBrowserSafe: true },
  testkit: { imports: 'anything' },
};

const scope = '@clawdfather/';

export function checkPackageGraph(tree: Tree): readonly Finding[] {
  return packageNames(tree).flatMap((name) => {
    const allowance = packageTable[name];
    if (allowance === undefined) {
      return [{ path: `packages/${name}`, message: 'is not in the table of packages' }];
    }
    return [
      ...checkManifest(tree, name, allowance),
      ...checkReferences(tree, name),
      ...checkImports(tree, name, allowance),
    ];
  });
}

function checkImports(tree: Tree, name: string, allowance: Allowance): readonly Finding[] {
  const { dependencies, devDependencies } = internalDependencies(tree, name);
  const findings: Finding[] = [];
  for (const { path, text } of scripts(tree)) {
    if (packageOf(path) !== name) continue;
    const isShipped = path.startsWith(`packages/${name}/src/`);
    const report = (message: string): void => void findings.push({ path, message });
    for (const { specifier, isTypeOnly } of importsOf(text)) {
      const isForBrowsers = isShipped && isBrowserFile(allowance, path, name);
      const place = posix.join(posix.dirname(path), specifier);
      const isRelative = specifier.startsWith('.');
      const isForNode = isRelative ? !isBrowserFile(allowance, place, name) : isNodeOnly(specifier);
      if (isForBrowsers && isForNode) report(`is browser-safe but imports ${specifier}`);
      if (isRelative) {
        if (leavesPackage(place, name)) report(`reaches into another package: ${specifier}`);
        continue;
      }
      if (!specifier.startsWith(scope)) continue;
      const [target = '', ...door] = specifier.slice(scope.length).split('/');
      if (door.length > 0 && !hasDoor(tree, target, door.join('/'))) {
        report(`goes past the door of a package: ${specifier}`);
        continue;
      }
      if (target === name && !isShipped) continue;
      const declared = isShipped ? dependencies : [...dependencies, ...devDependencies];
      if (!declared.includes(target)) report(`${specifier} is not declared in package.json`);
      if (isShipped && !isAllowed(allowance, { path, target, isTypeOnly })) {
        report(`${name} may not import ${specifier}`);
      }
    }
  }
  return findings;
}

function isBrowserFile(allowance: Allowance, path: string, name: string): boolean {
  if (allowance.isBrowserSafe !== true) return false;
  const { nodeDoor } = allowance;
  return nodeDoor === undefined || !path.startsWith(`packages/${name}/src/${nodeDoor}/`);
}

function isNodeOnly(specifier: string): boolean {
  if (specifier.startsWith('node:')) return true;
  return Object.entries(packageTable).some(
    ([name, { nodeDoor }]) => nodeDoor !== undefined && specifier === `${scope}${name}/${nodeDoor}`,
  );
}

/* A package whose main door is heavy may have a light one, named in its manifest. */
function hasDoor(tree: Tree, name: string, door: string): boolean {
  const manifest = JSON.parse(tree.get(`packages/${name}/package.json`) ?? '{}') as {
    readonly exports?: Record<string, unknown>;
  };
  return manifest.exports?.[`./${door}`] !== undefined;
}

function isAllowed(
  allowance: Allowance,
  use: { readonly path: string; readonly target: string; readonly isTypeOnly: boolean },
): boolean {
  if (allowance.imports === 'anything') return true;
  if (use.isTypeOnly && allowance.typesOnly?.includes(use.target) === true) return true;
  if (!allowance.imports.includes(use.target)) return false;
  const onlyFile = allowance.onlyIn?.[use.target];
  return onlyFile === undefined || onlyFile === use.path;
}

function checkManifest(tree: Tree, name: string, allowance: Allowance): readonly Finding[] {
  const path = `packages/${name}/package.json`;
  if (allowance.imports === 'anything') return [];
  const allowed = [...allowance.imports, ...(allowance.typesOnly ?? [])];
  return internalDependencies(tree, name)
    .dependencies.filter((target) => !allowed.includes(target))
    .map((target) => ({ path, message: `may not depend on ${scope}${target}` }));
}

/* `tsc -b` builds in the order of references; a missing one shows up as a riddle. */
function checkReferences(tree: Tree, name: string): readonly Finding[] {
  const path = `packages/${name}/tsconfig.json`;
  const text = tree.get(path);
  if (text === undefined) return [{ path, message: 'is missing' }];
  const references = [...text.matchAll(/"path":\s*"\.\.\/([^"/]+)"/g)].map(
    (match) => match[1] ?? '',
  );
  const { dependencies } = internalDependencies(tree, name);
  const isEqual = references.toSorted().join() === dependencies.toSorted().join();
  return isEqual
    ? []
    : [
        {
          path,
          message: `references [${references.join()}] but depends on [${dependencies.join()}]`,
        },
      ];
}

function internalDependencies(
  tree: Tree,
  name: string,
): { readonly dependencies: readonly string[]; readonly devDependencies: readonly string[] } {
  const manifest = JSON.parse(tree.get(`packages/${name}/package.json`) ?? '{}') as {
    readonly dependencies?: Record<string, string>;
    readonly devDependencies?: Record<string, string>;
  };
  const internal = (record: Record<string, string> = {}): readonly string[] =>
    Object.keys(record)
      .filter((key) => key.startsWith(scope))
      .map((key) => key.slice(scope.length));
  return {
    dependencies: internal(manifest.dependencies),
    devDependencies: internal(manifest.devDependencies),
  };
}

function leavesPackage(place: string, name: string): boolean {
  return !place.startsWith(`packages/${name}/`);
}
