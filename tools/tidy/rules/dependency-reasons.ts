/*
 * Rule: every third-party package says why it is here.
 *
 * docs/dependencies.md has a row per package (name, who uses it, why), and a
 * section "Install scripts" with a row per script that may run at install
 * time. Rows for what is gone are findings too. Versions are exact.
 */
import { codeRows, sections } from '../markdown.ts';
import { filesMatching } from '../source-files.ts';
import type { Finding, Tree } from '../tree.ts';

export const reasonsPath = 'docs/dependencies.md';
const scriptsTitle = 'Install scripts';
const reasonWordsMin = 4;

interface Manifest {
  readonly allowScripts?: Readonly<Record<string, boolean>>;
  readonly [field: string]: unknown;
}

const dependencyFields = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
];

export function checkDependencyReasons(tree: Tree): readonly Finding[] {
  const parts = sections(tree.get(reasonsPath) ?? '');
  const ofScripts = parts.filter(({ title }) => title === scriptsTitle);
  const ofPackages = parts.filter(({ title }) => title !== scriptsTitle);
  const used = thirdParty(tree);
  const scriptNames = Object.keys(parseManifest(tree.get('package.json')).allowScripts ?? {});
  return [
    ...compare([...new Set(used.map(({ name }) => name))], ofPackages),
    ...compare(scriptNames, ofScripts),
    ...used
      .filter(({ version }) => !/^\d+\.\d+\.\d+/.test(version))
      .map(({ path, name, version }) => ({ path, message: `${name} is not exact: ${version}` })),
  ];
}

function compare(
  names: readonly string[],
  parts: readonly { readonly body: string }[],
): readonly Finding[] {
  const rows = parts.flatMap(({ body }) => codeRows(body));
  const documented = rows.map(({ code }) => code);
  return [
    ...names
      .filter((name) => !documented.includes(name))
      .map((name) => ({ path: reasonsPath, message: `says nothing about ${name}` })),
    ...rows
      .filter(({ code }) => !names.includes(code))
      .map(({ code }) => ({ path: reasonsPath, message: `${code} is not used any more` })),
    ...rows
      .filter(({ cells }) => (cells.at(-1)?.split(/\s+/).length ?? 0) < reasonWordsMin)
      .map(({ code }) => ({ path: reasonsPath, message: `${code} has no reason` })),
  ];
}

function thirdParty(
  tree: Tree,
): readonly { readonly path: string; readonly name: string; readonly version: string }[] {
  return filesMatching(tree, /(?:^|\/)package\.json$/).flatMap(({ path, text }) => {
    const manifest = parseManifest(text);
    return dependencyFields
      .flatMap((field) => Object.entries((manifest[field] ?? {}) as Record<string, string>))
      .filter(([name]) => !name.startsWith('@clawdfather/'))
      .map(([name, version]) => ({ path, name, version }));
  });
}

function parseManifest(text = '{}'): Manifest {
  return JSON.parse(text) as Manifest;
}
