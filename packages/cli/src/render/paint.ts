/*
 * Colours, and only where they are wanted: a terminal, NO_COLOR not set.
 *
 * Sixteen-colour codes on purpose, since those follow the user's own theme.
 */
export interface Paint {
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly strong: (text: string) => string;
}

export function isColoured(
  { values }: { readonly values: { readonly color: 'auto' | 'always' | 'never' } },
  sink: { readonly isTerminal: boolean },
): boolean {
  return values.color === 'always' || (values.color === 'auto' && sink.isTerminal);
}

const wrap =
  (open: number, close: number) =>
  (text: string): string =>
    `\u001b[${open}m${text}\u001b[${close}m`;

const plain = (text: string): string => text;

export function createPaint(isColoured: boolean): Paint {
  if (!isColoured) return { good: plain, warn: plain, bad: plain, dim: plain, strong: plain };
  return {
    good: wrap(32, 39),
    warn: wrap(33, 39),
    bad: wrap(31, 39),
    dim: wrap(2, 22),
    strong: wrap(1, 22),
  };
}
