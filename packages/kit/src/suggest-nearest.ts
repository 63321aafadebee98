/*
 * "Did you mean …?": the one known word that is close enough to what was typed.
 */

/* A third of the word may be wrong, and never more than this: beyond it a guess is noise. */
const editsMax = 3;

export function suggestNearest(typed: string, known: readonly string[]): string | undefined {
  const limit = Math.min(editsMax, Math.max(1, Math.floor(typed.length / 3)));
  let best: string | undefined;
  let bestEdits = limit + 1;
  for (const word of known) {
    const edits = editsBetween(typed, word);
    if (edits < bestEdits) {
      best = word;
      bestEdits = edits;
    }
  }
  return best;
}

/* Optimal string alignment: insertions, deletions, replacements and swaps of neighbours. */
export function editsBetween(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      let edits = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
      );
      const isSwap =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      if (isSwap) edits = Math.min(edits, at(beforePrevious, column - 2) + 1);
      current.push(edits);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
