/*
 * From what a person typed to files of a turn: a path as it is listed, or a directory with all that is below it. None: all of them.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { CliError } from '../errors.ts';
import type { Artifact } from './artifact-json.ts';

export function chooseArtifacts(
  items: readonly Artifact[],
  typed: readonly string[],
): readonly Artifact[] {
  if (typed.length === 0) return items;
  const chosen = new Set<Artifact>();
  for (const path of typed) {
    const name = path.replace(/^\.\//, '').replace(/\/+$/, '');
    const fitting = items.filter(
      ({ relative_path: known }) => known === name || known.startsWith(`${name}/`),
    );
    if (fitting.length === 0) {
      throw new CliError('artifact-not-found', `the turn has left no file "${makeVisible(path)}"`, {
        hint: 'What there is: clf threads artifacts THREAD',
        detail: { path },
      });
    }
    for (const item of fitting) chosen.add(item);
  }
  return items.filter((item) => chosen.has(item));
}
