/*
 * The links of a prompt that was taken before, for one that says the same again: its files may be gone since, and were handed over then.
 */
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Attached } from './hand-over.ts';

/* `ids`: of uploads. Undefined: its last blocks are no links to copies of these. */
export function linksOfTurn(
  prompt: readonly Attached[],
  ids: readonly string[],
): readonly Attached[] | undefined {
  const wanted = [...new Set(ids)];
  const links = prompt.slice(-wanted.length);
  const areThese = wanted.every((id, index) => idOf(links[index]) === id);
  return areThese ? links : undefined;
}

/* A copy lies in a directory that has the name of its upload. */
function idOf(block: Attached | undefined): string | undefined {
  const uri = block?.['uri'];
  if (block?.['type'] !== 'resource_link' || typeof uri !== 'string') return undefined;
  try {
    return basename(dirname(fileURLToPath(uri)));
  } catch {
    // Of somebody who wrote a link with the prompt.
    return undefined;
  }
}
