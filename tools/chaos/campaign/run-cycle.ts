/*
 * One cycle: gateways start, adopt, work, and are killed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewaySettings } from '../gateway/settings.ts';
import type { CyclePlan, GatewayFate } from './cycle-plan.ts';
import { type GatewayNews, type GatewayProcess, startGateway } from './gateway-process.ts';
import { findSpawnd, isAlive, type ProcessFacts } from './process-facts.ts';

export interface CycleDeps extends GatewayNews {
  readonly place: Pick<GatewaySettings, 'stateDir' | 'ledgerFile'>;
  readonly seed: number;
  readonly name: string;
}

export interface CycleOutcome {
  readonly killedGateways: number;
  readonly killedSpawnds: number;
  /* All that were seen: they have to be gone at the end. */
  readonly spawnds: readonly ProcessFacts[];
}

export async function runCycle(deps: CycleDeps, plan: CyclePlan): Promise<CycleOutcome> {
  const lives = plan.gateways.map(async (fate, index) => {
    const gateway = startGateway(settingsOf(deps, fate, index), deps);
    return liveAndDie(gateway, fate, index === 0 ? plan.spawnd : 'spared');
  });
  const outcomes = await Promise.all(lives);
  return {
    killedGateways: outcomes.length,
    killedSpawnds: outcomes.filter(({ isSpawndKilled }) => isSpawndKilled).length,
    spawnds: outcomes.flatMap(({ spawnd }) => spawnd ?? []),
  };
}

interface Death {
  readonly spawnd: ProcessFacts | undefined;
  readonly isSpawndKilled: boolean;
}

async function liveAndDie(
  gateway: GatewayProcess,
  { killFrom, killAfterMs }: GatewayFate,
  spawndFate: CyclePlan['spawnd'],
): Promise<Death> {
  if (killFrom === 'ready') await gateway.ready;
  await sleep(killAfterMs / 2);
  const early = spawndFate === 'meanwhile' ? findSpawnd(gateway.pid) : undefined;
  if (early !== undefined) killProcess(early);
  await sleep(killAfterMs / 2);
  const spawnd = findSpawnd(gateway.pid);
  await gateway.kill();
  const isKilledNow = spawnd !== undefined && spawndFate === 'after';
  if (isKilledNow) killProcess(spawnd);
  return { spawnd: spawnd ?? early, isSpawndKilled: isKilledNow || early !== undefined };
}

/* It was found as our gateway's child a moment ago; looked at once more, as pids are used again. */
function killProcess(facts: ProcessFacts): void {
  if (isAlive(facts)) process.kill(facts.pid, 'SIGKILL');
}

function settingsOf(
  { place, seed, name }: CycleDeps,
  { newRuns }: GatewayFate,
  index: number,
): GatewaySettings {
  return {
    ...place,
    seed: seed + index,
    name: `${name}-${index}`,
    newRuns,
    isLast: false,
  };
}
