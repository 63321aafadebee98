/*
 * Something long that is read piece by piece, each from the offset at which the one before it ended: once, however often it is asked for, and
 * again from there when it failed.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { createAttempt } from './following.ts';
import type { Problem } from './problem.ts';

interface Piece {
  /* Null: that was the last one. */
  readonly next_offset: number | null;
}

export interface Pieces<Of> {
  readonly pieces: ReadonlySignal<readonly Of[]>;
  readonly problem: ReadonlySignal<Problem | undefined>;
  /* The next one; also what is tried again. */
  readonly more: () => Promise<void>;
}

export function createPieces<Of extends Piece>(
  load: (offset: number) => Promise<Of>,
  ending: AbortSignal,
): Pieces<Of> {
  const pieces = signal<readonly Of[]>([]);
  const { problem, run } = createAttempt(async () => {
    const last = pieces.value.at(-1);
    const offset = last === undefined ? 0 : last.next_offset;
    if (offset !== null) pieces.value = [...pieces.value, await load(offset)];
  }, ending);
  return { pieces, problem, more: run };
}

/* The first one is read at once. With another key, it begins anew. */
export function usePieces<Of extends Piece>(
  key: string,
  load: (offset: number) => Promise<Of>,
): Pieces<Of> {
  const { pieces, ending } = useMemo(() => {
    const controller = new AbortController();
    return { pieces: createPieces(load, controller.signal), ending: controller };
  }, [key]);
  useEffect(() => {
    void pieces.more();
    return () => ending.abort();
  }, [pieces, ending]);
  return pieces;
}
