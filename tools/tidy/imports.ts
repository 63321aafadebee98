/*
 * The modules that a script names, statically or in `import()`.
 */
import { stripComments } from './strip-comments.ts';

export interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

const pattern =
  /\b(?:import|export)\s+(type\s+)?(?:[\w$*{][^'"`;()]*?\sfrom\s+)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]/g;

export function importsOf(text: string): readonly Import[] {
  return [...stripComments(text).matchAll(pattern)].map((match) => ({
    specifier: match[2] ?? match[3] ?? '',
    isTypeOnly: match[1] !== undefined,
  }));
}
