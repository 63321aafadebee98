/*
 * A campaign: bystanders, so many cycles, one last gateway that finishes everything, and the verdict.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChance } from '../plan/chance.ts';
import type { GatewaySettings } from '../gateway/settings.ts';
import { verifyCampaign } from '../verify/verify-campaign.ts';
import type { Verdict, Violation } from '../verify/violation.ts';
import { startBystanders } from './bystanders.ts';
import { planCycle } from './cycle-plan.ts';
import { startGateway } from './gateway-process.ts';
import type { ProcessFacts } from './process-facts.ts';
import { runCycle } from './run-cycle.ts';

export interface Campaign {
  readonly dir: string;
  readonly cycles: number;
  readonly seed: number;
  readonly onProgress: (text: string) => void;
}

export interface CampaignOutcome extends Verdict {
  readonly killedGateways: number;
  readonly killedSpawnds: number;
}

/* For all that is still writing, and its readers, on a slow machine. */
const lastGatewayMsMax = 180_000;

export async function runCampaign(campaign: Campaign): Promise<CampaignOutcome> {
  const { dir, cycles, seed, onProgress } = campaign;
  const place = { stateDir: join(dir, 'state'), ledgerFile: join(dir, 'ledger.sqlite') };
  mkdirSync(place.stateDir, { mode: 0o700 });
  const chance = createChance(seed);
  const failures: Violation[] = [];
  const onFailed = ({ runId, error }: { readonly runId: string; readonly error: string }): void =>
    void failures.push({ rule: 'a gateway could go on', runId, what: error });
  const bystanders = startBystanders(dir);
  const spawnds: ProcessFacts[] = [];
  let killedGateways = 0;
  let killedSpawnds = 0;
  try {
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const cycleSeed = chance.between(0, 2 ** 31);
      const deps = { place, seed: cycleSeed, name: `c${cycle}`, onFailed };
      const outcome = await runCycle(deps, planCycle(cycleSeed));
      spawnds.push(...outcome.spawnds);
      killedGateways += outcome.killedGateways;
      killedSpawnds += outcome.killedSpawnds;
      onProgress(
        `cycle ${cycle + 1} of ${cycles}: ${killedGateways} gateways, ${killedSpawnds} spawnds killed`,
      );
    }
    onProgress('the last gateway finishes what is left');
    const lastFailures = await finish(
      { ...place, seed, name: 'last', newRuns: 0, isLast: true },
      onFailed,
    );
    const verdict = await verifyCampaign({ ...place, spawnds, bystanders });
    const violations = [...failures, ...lastFailures, ...verdict.violations];
    return { ...verdict, violations, killedGateways, killedSpawnds };
  } finally {
    await bystanders.end();
  }
}

async function finish(
  settings: GatewaySettings,
  onFailed: (failure: { readonly runId: string; readonly error: string }) => void,
): Promise<readonly Violation[]> {
  const gateway = startGateway(settings, { onFailed });
  const late = new AbortController();
  const isLate = sleep(lastGatewayMsMax, 'late' as const, { signal: late.signal }).catch(
    () => 'late' as const,
  );
  const end = await Promise.race([gateway.ended, isLate]);
  late.abort();
  if (end === 'late') {
    await gateway.kill();
    return [
      {
        rule: 'everything ends',
        what: `the last gateway was not done after ${lastGatewayMsMax} ms`,
      },
    ];
  }
  if (end.code === 0) return [];
  return [
    { rule: 'everything ends', what: `the last gateway ended with ${end.code}: ${end.stderr}` },
  ];
}
