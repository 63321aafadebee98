/*
 * A page of a list that is short enough to be read whole.
 */
export function pageOfAll<Item>(
  all: readonly Item[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): { items: Item[]; total: number; limit: number; offset: number } {
  return { items: all.slice(offset, offset + limit), total: all.length, limit, offset };
}
