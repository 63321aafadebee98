/*
 * Waiting for the whole tree of a run, beyond its settlement: under `keep`, and when survivors remained (T1, T4).
 */
import type { TreeEnd } from '../../run-end.ts';
import type { News } from './news.ts';

export interface TreeSource {
  readonly news: News;
  readonly isShimGone: () => boolean;
  /* The run is not ours to wait for any more. */
  readonly lostBecause: () => Error | undefined;
  /* Once the shim is gone: how it came about, where that is known. */
  readonly treeEnd: () => TreeEnd | undefined;
}

export async function treeGone({
  news,
  isShimGone,
  lostBecause,
  treeEnd,
}: TreeSource): Promise<TreeEnd | undefined> {
  for (;;) {
    const seen = news.count;
    if (isShimGone()) return treeEnd();
    const error = lostBecause();
    if (error !== undefined) throw error;
    await news.changed(seen);
  }
}
