/*
 * Rule: every invariant is cited by at least one test.
 *
 * The ids are those of docs/invariants.md. A test cites one by naming it in its title or in
 * its file's header, alone: "O5" counts, "O1-O7" counts for its two ends only.
 */
import type { Finding, Tree } from '../tree.ts';

/* While false, missing ids are printed and nothing fails. */
export const enforced: boolean = true;

/* Invariants that no test can cite yet, each with its reason. */
export const notYet: Readonly<Record<string, string>> = {};

const counts: Readonly<Record<string, number>> = { O: 7, S: 5, I: 2, J: 4, T: 9, A: 5, C: 1, E: 8 };

export const invariantIds: readonly string[] = Object.entries(counts).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);

export function checkInvariantsCited(tree: Tree): readonly Finding[] {
  const cited = citedIds(tree);
  return invariantIds.flatMap((id) => {
    const reason = notYet[id];
    if (!cited.has(id)) {
      return reason === undefined ? [{ path: id, message: 'is cited by no test' }] : [];
    }
    return reason === undefined
      ? []
      : [{ path: id, message: 'is cited by a test: take it off the list of exemptions' }];
  });
}

function citedIds(tree: Tree): ReadonlySet<string> {
  const cited = new Set<string>();
  for (const [path, text] of tree) {
    if (!/^(?:packages|tools)\/(?!tidy\/)[^/]+\/test\//.test(path)) continue;
    for (const [id] of text.matchAll(/\b[OSIJTACE][1-9]\b/g)) cited.add(id);
  }
  return cited;
}
