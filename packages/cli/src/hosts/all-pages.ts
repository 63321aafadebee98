/*
 * A list of the API to its end.
 */
const pageMax = 100;
/* More than anybody reads; what is beyond is asked for by a filter. */
const itemsMax = 10_000;

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

export async function allPages<Item>(
  read: (query: { readonly limit: number; readonly offset: number }) => Promise<ListPage<Item>>,
  most = itemsMax,
): Promise<Item[]> {
  const found: Item[] = [];
  for (;;) {
    const limit = Math.min(pageMax, most - found.length);
    const { items, total } = await read({ limit, offset: found.length });
    found.push(...items);
    if (items.length === 0 || found.length >= Math.min(total, most)) return found;
  }
}
