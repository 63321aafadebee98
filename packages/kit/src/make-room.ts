/*
 * For what is remembered up to a limit: room for one more, by forgetting what was added first.
 */
export interface Forgetting<Key> {
  readonly size: number;
  keys(): Iterable<Key>;
  delete(key: Key): boolean;
}

/* Call it before adding. Sets and maps keep the order in which entries were added; adding one again does not move it. */
export function makeRoom<Key>(entries: Forgetting<Key>, entriesMax: number): void {
  if (entries.size < entriesMax) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
