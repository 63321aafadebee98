/*
 * Whether the code has moved on and a mistake cannot be put into it any more: a test run that only fails to load it proves nothing.
 */
import { readFileSync } from 'node:fs';
import type { Mutant } from './mutants.ts';

export function isStale({ file, from }: Mutant): boolean {
  const path = new URL(`../../../packages/${file}`, import.meta.url);
  return !readFileSync(path, 'utf8').includes(from);
}
