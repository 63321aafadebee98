/*
 * Rule: every third-party package says why it is here.
 *
 * docs/dependencies.md has a row per package (name, who uses it, why). Rows
 * for what is gone are findings too. Versions are exact.
 */
import { codeRows, sections } from '../markdown.ts';
import { filesMatching } from '../source-files.ts';
import type { Finding, Tree } from '../tree.ts';

export const reasonsPath = 'docs/dependencies.md';
const reasonWordsMin = 4;

const dependencyFields = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
];

export function checkDependencyReasons(tree: Tree): readonly Finding[] {
  const used = thirdParty(tree);
  const rows = sections(tree.get(reasonsPath) ?? '').flatMap(({ body }) => codeRows(body));
  return [
    ...compare([...new Set(used.map(({ name }) => name))], rows),
    ...used
      .filter(({ version }) => !/^\d+\.\d+\.\d+/.test(version))
      .map(({ path, name, version }) => ({ path, message: `${name} is not exact: ${version}` })),
  ];
}

function compare(names: readonly string[], rows: ReturnType<typeof codeRows>): readonly Finding[] {
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
    const manifest = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return dependencyFields
      .flatMap((field) => Object.entries((manifest[field] ?? {}) as Record<string, string>))
      .filter(([name]) => !name.startsWith('@clawdfather/'))
      .map(([name, version]) => ({ path, name, version }));
  });
}
