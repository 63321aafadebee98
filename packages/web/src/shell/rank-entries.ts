/*
 * Which things a person means by what is typed. Pure: every word has to be in it, and what begins with them comes first.
 */
export interface Entry {
  readonly key: string;
  readonly name: string;
  /* What it is: a place, a thread, a run … */
  readonly kind: string;
  readonly act: { readonly to: string } | { readonly run: () => void };
}

/* More are not read. */
const shownMax = 12;

export function rankEntries(entries: readonly Entry[], typed: string): readonly Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = entries.flatMap((entry) => {
    const text = `${entry.name} ${entry.kind}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) return [];
    const begins = words.filter((word) =>
      text.split(/[\s/·-]+/).some((part) => part.startsWith(word)),
    );
    return [{ entry, score: begins.length + (text.startsWith(words[0] ?? '') ? 1 : 0) }];
  });
  // Sorting keeps the order of equals, which is that of the lists.
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, shownMax)
    .map(({ entry }) => entry);
}
