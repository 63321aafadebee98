/*
 * A list of the API to its end, or until enough was found.
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
  isMeant: (item: Item) => boolean = () => true,
): Promise<Item[]> {
  const found: Item[] = [];
  let offset = 0;
  for (;;) {
    const limit = Math.min(pageMax, most);
    const { items, total } = await read({ limit, offset });
    found.push(...items.filter(isMeant));
    offset += items.length;
    if (found.length >= most) return found.slice(0, most);
    if (items.length === 0 || offset >= Math.min(total, itemsMax)) return found;
  }
}
