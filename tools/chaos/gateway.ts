/*
 * The gateway that is killed: a supervisor, a ledger, and no exit handler.
 *
 * `gateway.ts SETTINGS`. Opens the supervisor (which adopts), says `ready`, takes up every plan of the ledger, adds
 * new ones and works on all of them until it is killed. With `isLast` it adds none, cancels what is endless, and says
 * `finished` when everything has ended. What cannot be right it says as `failed`.
 */
import { createSupervisor } from '@clawdfather/supervisor';
import { finishRun } from './gateway/finish-run.ts';
import { openLedger } from './gateway/ledger.ts';
import type { GatewayMessage, GatewaySettings } from './gateway/settings.ts';
import { createChance } from './plan/chance.ts';
import { planRun } from './plan/run-plan.ts';

const settings = JSON.parse(process.argv[2] ?? '') as GatewaySettings;
const { stateDir, ledgerFile, seed, newRuns, name, isLast } = settings;
const tell = (message: GatewayMessage): void =>
  void process.stdout.write(`${JSON.stringify(message)}\n`);

const chance = createChance(seed);
const ledger = openLedger(ledgerFile);
const supervisor = await createSupervisor({ stateDir });
tell({ type: 'ready', generation: supervisor.generation });

for (let number = 0; number < newRuns; number += 1) {
  ledger.addPlan(planRun(`${name}-${number}`, chance.between(0, 2 ** 31)));
}
const work = ledger.openPlans().map(async (plan) => {
  const isCancelled = isLast || chance.isLucky(0.2);
  try {
    await finishRun({ supervisor, ledger }, plan, { isCancelled });
  } catch (error) {
    tell({ type: 'failed', runId: plan.runId, error: describe(error) });
  }
});
await Promise.all(work);
tell({ type: 'finished' });
if (isLast) {
  await supervisor.close();
  ledger.shut();
} else {
  /* Idle until the end comes; a timer keeps the process alive and nothing else. */
  setInterval(() => {}, 60_000);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
