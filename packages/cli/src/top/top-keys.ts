/*
 * What keys ask of `clf top`. A chunk of input may hold several.
 */
import { type SortOrder, sortKeys } from './sort-rows.ts';

export type TopAction =
  | { readonly kind: 'quit' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'sort'; readonly order: SortOrder }
  | { readonly kind: 'reverse' }
  /* In rows, or pages; `edge` is the first or the last row. */
  | { readonly kind: 'scroll'; readonly by: number; readonly unit: 'row' | 'page' | 'edge' };

// oxlint-disable-next-line no-control-regex -- keys are control characters
const keyPattern = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Z])|[^]/g;

const scrolls: Readonly<Record<string, TopAction>> = {
  A: { kind: 'scroll', by: -1, unit: 'row' },
  B: { kind: 'scroll', by: 1, unit: 'row' },
  H: { kind: 'scroll', by: -1, unit: 'edge' },
  F: { kind: 'scroll', by: 1, unit: 'edge' },
  '1~': { kind: 'scroll', by: -1, unit: 'edge' },
  '4~': { kind: 'scroll', by: 1, unit: 'edge' },
  '5~': { kind: 'scroll', by: -1, unit: 'page' },
  '6~': { kind: 'scroll', by: 1, unit: 'page' },
};

export function parseKeys(bytes: Uint8Array): readonly TopAction[] {
  const keys = Buffer.from(bytes).toString('latin1').match(keyPattern) ?? [];
  return keys.flatMap((key) => actionOf(key) ?? []);
}

function actionOf(key: string): TopAction | undefined {
  if (key.length > 1) return scrolls[key.slice(2)];
  switch (key) {
    case 'q':
    case 'Q':
    case '\u0003':
    case '\u0004':
      return { kind: 'quit' };
    case '\u001a':
      return { kind: 'suspend' };
    case 'r':
      return { kind: 'reverse' };
    case 'j':
      return scrolls['B'];
    case 'k':
      return scrolls['A'];
    default: {
      const order = sortKeys[key];
      return order === undefined ? undefined : { kind: 'sort', order };
    }
  }
}
