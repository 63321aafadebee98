/*
 * Rule: every error code is documented, and nothing else is.
 *
 * A package that throws lists its codes in src/errors.ts:
 *
 *   export const shimErrorCodes = ['frame-corrupt', …] as const;
 *
 * and docs/errors.md has a section `## shim` with one row per code:
 * code, what it means, what to do about it.
 */
import { codeRows, sections } from '../markdown.ts';
import { packageNames } from '../source-files.ts';
import { stripComments } from '../strip-comments.ts';
import type { Finding, Tree } from '../tree.ts';

export const catalogPath = 'docs/errors.md';

/* Kit defines what a coded error is and throws none of its own. */
const packagesWithoutCodes = ['kit'];

export function checkErrorCatalogue(tree: Tree): readonly Finding[] {
  const documented = documentedCodes(tree);
  const packages = packageNames(tree);
  const findings: Finding[] = [];
  for (const name of packages) {
    const path = `packages/${name}/src/errors.ts`;
    const text = tree.get(path);
    if (text === undefined || packagesWithoutCodes.includes(name)) continue;
    const codes = listedCodes(text, name);
    if (codes === undefined) {
      findings.push({ path, message: `exports no \`${listName(name)} = [...] as const\`` });
      continue;
    }
    findings.push(...compare(name, codes, documented.get(name) ?? []));
  }
  for (const title of documented.keys()) {
    if (!packages.includes(title) || !tree.has(`packages/${title}/src/errors.ts`)) {
      findings.push({ path: catalogPath, message: `section ${title} has no src/errors.ts` });
    }
  }
  return findings;
}

function compare(
  name: string,
  codes: readonly string[],
  documented: readonly string[],
): readonly Finding[] {
  const path = `packages/${name}/src/errors.ts`;
  return [
    ...codes
      .filter((code, index) => codes.indexOf(code) !== index)
      .map((code) => ({ path, message: `lists ${code} twice` })),
    ...codes
      .filter((code) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(code))
      .map((code) => ({ path, message: `${code} is not kebab-case` })),
    ...codes
      .filter((code) => !documented.includes(code))
      .map((code) => ({ path, message: `${code} is not in section ${name} of ${catalogPath}` })),
    ...documented
      .filter((code) => !codes.includes(code))
      .map((code) => ({ path: catalogPath, message: `${name} has no code ${code}` })),
  ];
}

function listedCodes(text: string, name: string): readonly string[] | undefined {
  const pattern = new RegExp(`export const ${listName(name)} = \\[([^\\]]*)\\] as const`);
  const list = pattern.exec(stripComments(text))?.[1];
  if (list === undefined) return undefined;
  return [...list.matchAll(/['"]([^'"]+)['"]/g)].map((match) => match[1] ?? '');
}

function listName(name: string): string {
  const camel = name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return `${camel}ErrorCodes`;
}

/* Sections without a row of codes are prose. */
function documentedCodes(tree: Tree): ReadonlyMap<string, readonly string[]> {
  const documented = new Map<string, readonly string[]>();
  for (const { title, body } of sections(tree.get(catalogPath) ?? '')) {
    const codes = codeRows(body).map(({ code }) => code);
    if (codes.length > 0) documented.set(title, codes);
  }
  return documented;
}
