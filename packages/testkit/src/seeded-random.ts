/*
 * Chance that repeats: the same seed gives the same bytes and ids, so that a
 * failing test can be run again as it was. Not for anything secret.
 */
import { createRandom, type Random } from '@clawdfather/kit';

export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  /* A 32-bit Weyl sequence through a mixing function (splitmix). */
  const nextByte = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) & 0xff;
  };
  return createRandom((target) => {
    for (let index = 0; index < target.length; index += 1) target[index] = nextByte();
  });
}
