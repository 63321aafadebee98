/*
 * A list that is read page by page. Reading it again reads as many pages as are shown, so that what was opened stays open, also when
 * a person comes back to it.
 */
import { useVisit } from '../parts/use-kept.ts';
import type { Problem } from './problem.ts';
import type { Resource } from './resource.ts';
import { useResource } from './use-resource.ts';

export interface Paged<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

export interface Pages<Item> {
  readonly resource: Resource<Paged<Item>>;
  /* What failed, if it did. */
  readonly more: () => Promise<Problem | undefined>;
}

export interface PageOf {
  readonly limit: number;
  readonly offset: number;
}

/* A page that a phone shows at once. */
const pageItems = 30;
/* What one screen shows at most; a phone is not the place to scroll through more. */
const itemsMax = 600;

export function usePages<Item extends { readonly id: string }>(
  key: string,
  load: (page: PageOf) => Promise<Paged<Item>>,
  on: readonly string[] = [],
): Pages<Item> {
  const visit = useVisit();
  const name = `items of ${key}`;
  const wanted = (): number => Number(visit.get(name) ?? pageItems);
  const resource = useResource(key, () => loadAll(load, wanted), on);
  return {
    resource,
    more: async () => {
      visit.set(name, Math.min(itemsMax, wanted() + pageItems));
      await resource.refresh();
      return resource.problem.value;
    },
  };
}

/* Something that was added meanwhile moves the rest; what is there twice then is shown once. */
async function loadAll<Item extends { readonly id: string }>(
  load: (page: PageOf) => Promise<Paged<Item>>,
  wanted: () => number,
): Promise<Paged<Item>> {
  const found = new Map<string, Item>();
  let total = 0;
  for (let offset = 0; offset < wanted(); offset += pageItems) {
    const page = await load({ limit: pageItems, offset });
    for (const item of page.items) found.set(item.id, item);
    total = page.total;
    if (page.items.length < pageItems) break;
  }
  return { items: [...found.values()], total };
}
