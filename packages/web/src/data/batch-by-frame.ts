/*
 * What comes one by one, shown together before the next paint; and before that if it is more than should wait. A page that is hidden is painted
 * seldom or never, and what waits is in memory.
 */
export interface BatchDeps<Item> {
  readonly beforePaint: (show: () => void) => void;
  readonly show: (items: readonly Item[]) => void;
  readonly sizeOf: (item: Item) => number;
  /* What waits is shown when it is more. */
  readonly sizeMax: number;
}

export function batchByFrame<Item>(deps: BatchDeps<Item>): (item: Item) => void {
  const { beforePaint, show, sizeOf, sizeMax } = deps;
  let waiting: Item[] = [];
  let size = 0;
  let isAsked = false;
  const showAll = (): void => {
    const items = waiting;
    waiting = [];
    size = 0;
    if (items.length > 0) show(items);
  };
  return (item) => {
    waiting.push(item);
    size += sizeOf(item);
    if (size > sizeMax) return showAll();
    if (isAsked) return;
    isAsked = true;
    beforePaint(() => {
      isAsked = false;
      showAll();
    });
  };
}
