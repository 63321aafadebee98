/*
 * Whether the buttons of a decision take a tap. A card that appears under a finger, or that moves there, must decide nothing.
 *
 * hidden ──► settling ──► armed      Settling takes 600 ms in full view, and 400 ms after the last movement.
 *    ▲           ▲  │        │
 *    │           └──┼────────┤ it moved
 *    └──────────────┴────────┘ it is not in full view any more
 *
 * Beside it is kept whether the beginning and the end of what is decided were on the screen: without both, nothing is allowed.
 * Pure: what it looks like is told by use-arming.ts, some sixty times a second.
 */
const inViewMs = 600;
const stillMs = 400;

export interface Reading {
  readonly hasShownStart: boolean;
  readonly hasShownEnd: boolean;
}

export type Arming = Reading &
  (
    | { readonly kind: 'hidden' }
    | { readonly kind: 'settling'; readonly armsAtMs: number }
    | { readonly kind: 'armed'; readonly sinceMs: number }
  );

export type ArmingEvent =
  | {
      readonly kind: 'looked';
      readonly atMs: number;
      /* All of its buttons can be seen and reached. */
      readonly isInView: boolean;
      /* Since the look before. */
      readonly hasMoved: boolean;
      readonly showsStart: boolean;
      readonly showsEnd: boolean;
    }
  /* Other buttons stand in the same place. */
  | { readonly kind: 'turned' }
  /* It is about something else now. */
  | { readonly kind: 'replaced' };

export const unseen: Arming = { kind: 'hidden', hasShownStart: false, hasShownEnd: false };

export function nextArming(state: Arming, event: ArmingEvent): Arming {
  if (event.kind === 'replaced') return unseen;
  const { hasShownStart, hasShownEnd } = state;
  if (event.kind === 'turned') return { kind: 'hidden', hasShownStart, hasShownEnd };
  const reading = {
    hasShownStart: hasShownStart || event.showsStart,
    hasShownEnd: hasShownEnd || event.showsEnd,
  };
  if (!event.isInView) return { kind: 'hidden', ...reading };
  const { atMs, hasMoved } = event;
  if (state.kind === 'hidden') return { kind: 'settling', armsAtMs: atMs + inViewMs, ...reading };
  if (hasMoved) {
    const stillAtMs = atMs + stillMs;
    const armsAtMs = state.kind === 'settling' ? Math.max(state.armsAtMs, stillAtMs) : stillAtMs;
    return { kind: 'settling', armsAtMs, ...reading };
  }
  if (state.kind === 'settling' && atMs >= state.armsAtMs)
    return { kind: 'armed', sinceMs: atMs, ...reading };
  return { ...state, ...reading };
}

export type Leaning = 'allows' | 'denies';

/* A tap counts by when it began: before the buttons were armed it was meant for something else. */
export function takesTap(state: Arming, beganMs: number, leaning: Leaning): boolean {
  if (state.kind !== 'armed' || beganMs < state.sinceMs) return false;
  return leaning === 'denies' || isRead(state);
}

export function isRead({ hasShownStart, hasShownEnd }: Reading): boolean {
  return hasShownStart && hasShownEnd;
}
