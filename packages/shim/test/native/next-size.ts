/*
 * Whose size a terminal has, as a pure transition: what size.c promises (Z1–Z3), in the shortest words for it.
 *
 * A state is the list of wishes, oldest first. The newest is in force. The run itself always has one.
 */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

interface Wish {
  readonly by: string;
  readonly size: Size;
}

export type SizeState = readonly [Wish, ...Wish[]];

export type SizeEvent =
  | { readonly kind: 'set'; readonly size: Size }
  | { readonly kind: 'hold'; readonly by: string; readonly size: Size }
  | { readonly kind: 'let-go' | 'gone'; readonly by: string };

const run = 'run';

export function beginSize(size: Size): SizeState {
  return [{ by: run, size }];
}

export function inForce(state: SizeState): Size {
  return (state.at(-1) ?? state[0]).size;
}

export function nextSize(state: SizeState, event: SizeEvent): SizeState {
  const by = event.kind === 'set' ? run : event.by;
  const others = state.filter((wish) => wish.by !== by);
  const next =
    event.kind === 'set' || event.kind === 'hold' ? [...others, { by, size: event.size }] : others;
  return next as unknown as SizeState;
}
