/*
 * What a setting is. The settings themselves are in settings.ts and gateway-settings.ts.
 */
import type { Kind } from './kinds.ts';

/* What a default may depend on. */
export interface CallerFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export interface Setting<Value> {
  readonly kind: Kind<Value>;
  readonly usual: (caller: CallerFacts) => Value;
  readonly summary: string;
  /* Our own variable for it, where it is not named after the key. */
  readonly variable?: string;
  /* Other people's variables that decide it, after our own. */
  readonly foreign?: (env: CallerFacts['env']) => Found<Value> | undefined;
}

interface Found<Value> {
  readonly name: string;
  readonly value: Value;
}

interface Described<Value> {
  readonly variable?: string;
  readonly foreign?: (env: CallerFacts['env']) => Found<Value> | undefined;
  readonly summary: string;
}

/* The kind decides the type; the default has to fit it. */
export function setting<Value>(
  kind: Kind<Value>,
  { usual, ...rest }: Described<NoInfer<Value>> & { readonly usual: NoInfer<Value> },
): Setting<Value> {
  return { kind, usual: () => usual, ...rest };
}
