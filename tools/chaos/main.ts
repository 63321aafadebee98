/*
 * `npm run chaos`: kills supervisors with -9 over and over, in the middle of everything, while commands write and
 * readers read; then proves that nothing was lost, doubled, left or touched. With `--turns N` it kills N gateways while agents answer.
 *
 * A violation makes the exit code 1 and keeps the directory: `ledger.sqlite` has what each reader stored, `control.db` the threads, `traces`
 * what each agent received, `state` the registry and the journals.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCampaign } from './campaign/run-campaign.ts';
import { parseOptions } from './options.ts';
import { runTurns } from './turns/run-turns.ts';
import type { Violation } from './verify/violation.ts';

const options = parseOptions(process.argv.slice(2));
const dir = mkdtempSync(join(options.dir, 'clawdfather-chaos-'));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const isTerminal = process.stdout.isTTY === true;
const linesPerReport = options.turns === undefined ? 10 : 100;
let reports = 0;

function onProgress(text: string): void {
  reports += 1;
  if (isTerminal) process.stdout.write(`\r\u001b[K${text}`);
  else if (reports % linesPerReport === 0 || text.startsWith('the last')) say(text);
}

const { seed, turns } = options;
const violations = turns === undefined ? await killSupervisors() : await killGateways(turns);
for (const { rule, runId, what } of violations) {
  say(`VIOLATION of "${rule}"${runId === undefined ? '' : `, run ${runId}`}: ${what}`);
}
if (violations.length === 0) {
  say('nothing was lost, doubled, left behind or touched');
  if (!options.isKept) rmSync(dir, { recursive: true, force: true });
} else {
  say(`${violations.length} violations; look at ${dir}, run again with --seed ${seed}`);
  process.exitCode = 1;
}

async function killSupervisors(): Promise<readonly Violation[]> {
  const { cycles } = options;
  say(`chaos: ${cycles} cycles, seed ${seed}`);
  const outcome = await runCampaign({ dir, cycles, seed, onProgress });
  if (isTerminal) say('');
  const megabytes = (outcome.bytesRead / 1024 ** 2).toFixed(1);
  const ends = Object.entries(outcome.exits).map(([reason, count]) => `${count} ${reason}`);
  const { runs, voids } = outcome;
  say(`${outcome.killedGateways} gateways and ${outcome.killedSpawnds} spawnds were killed`);
  say(`${runs} runs, ${voids} of them ended before they started; ${ends.join(', ')}`);
  say(`${megabytes} MB of output, each byte compared for two readers and in three replays`);
  return outcome.violations;
}

async function killGateways(kills: number): Promise<readonly Violation[]> {
  say(`chaos: ${kills} kills of gateways while agents answer, seed ${seed}`);
  const outcome = await runTurns({ dir, kills, seed, onProgress });
  if (isTerminal) say('');
  const seconds = (outcome.ms / 1_000).toFixed(1);
  say(`${outcome.kills} gateways were killed in ${seconds} s`);
  say(`${outcome.threads} agents, ${outcome.turns} turns, ${outcome.asks} permissions`);
  say(`${outcome.textBytes} bytes of text, each turn compared with what its nonce makes`);
  return outcome.violations;
}
