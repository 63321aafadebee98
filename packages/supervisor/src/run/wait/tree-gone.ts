/*
 * Waiting for the whole tree of a run, beyond its settlement: under `keep`, and when survivors remained (T1, T4).
 */
import type { News } from './news.ts';

export interface TreeSource {
  readonly news: News;
  readonly isShimGone: () => boolean;
  /* The run is not ours to wait for any more. */
  readonly lostBecause: () => Error | undefined;
}

export async function treeGone({ news, isShimGone, lostBecause }: TreeSource): Promise<void> {
  for (;;) {
    const seen = news.count;
    if (isShimGone()) return;
    const error = lostBecause();
    if (error !== undefined) throw error;
    await news.changed(seen);
  }
}
