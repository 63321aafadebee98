/*
 * Chance that repeats, for plans that a writer and a checker must agree on: the same seed, the same numbers.
 *
 * Of its own and tiny, because the writer is started hundreds of times and should load nothing.
 */
export interface Chance {
  /* A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  /* True with this probability. */
  isLucky(probability: number): boolean;
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const nextShare = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  return {
    between: (least, most) => least + Math.floor(nextShare() * (most - least + 1)),
    isLucky: (probability) => nextShare() < probability,
  };
}
