/*
 * What happens in one cycle, from its seed: how many gateways, how many new runs, who is killed when.
 */
import { type Chance, createChance } from '../plan/chance.ts';

export interface GatewayFate {
  readonly newRuns: number;
  /* Counted from its start, or from when it was ready. */
  readonly killFrom: 'start' | 'ready';
  readonly killAfterMs: number;
}

export interface CyclePlan {
  /* One, or two at once. */
  readonly gateways: readonly GatewayFate[];
  /* The first gateway's spawnd is killed too: while its gateway works, or right after it. */
  readonly spawnd: 'spared' | 'meanwhile' | 'after';
}

/* A gateway needs some hundred milliseconds to get ready: a kill in this time meets it while it opens or adopts. */
const openingMsMax = 700;
const workingMsMax = 600;
/* In the middle of starting runs. */
const spawningMsMax = 40;
const newRunsMax = 4;

export function planCycle(seed: number): CyclePlan {
  const chance = createChance(seed);
  const count = chance.isLucky(0.2) ? 2 : 1;
  const gateways = Array.from({ length: count }, () => fateOf(chance));
  const spawnd = chance.isLucky(0.25) ? (chance.isLucky(0.5) ? 'meanwhile' : 'after') : 'spared';
  return { gateways, spawnd };
}

function fateOf(chance: Chance): GatewayFate {
  const newRuns = chance.between(0, newRunsMax);
  if (chance.isLucky(0.25)) {
    return { newRuns, killFrom: 'start', killAfterMs: chance.between(0, openingMsMax) };
  }
  const killAfterMs = chance.between(0, chance.isLucky(0.4) ? spawningMsMax : workingMsMax);
  return { newRuns, killFrom: 'ready', killAfterMs };
}
