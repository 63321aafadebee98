/*
 * `npm run chaos`: kills supervisors with -9 over and over, in the middle of everything, while commands write and
 * readers read; then proves that nothing was lost, doubled, left or touched.
 *
 * A violation makes the exit code 1 and keeps the directory: `ledger.sqlite` has what each reader stored, `state` the
 * registry and the journals.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCampaign } from './campaign/run-campaign.ts';
import { parseOptions } from './options.ts';

const options = parseOptions(process.argv.slice(2));
const dir = mkdtempSync(join(options.dir, 'clawdfather-chaos-'));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const isTerminal = process.stdout.isTTY === true;
const linesPerReport = 10;
let reports = 0;

say(`chaos: ${options.cycles} cycles, seed ${options.seed}`);
const outcome = await runCampaign({
  dir,
  cycles: options.cycles,
  seed: options.seed,
  onProgress: (text) => {
    reports += 1;
    if (isTerminal) process.stdout.write(`\r\u001b[K${text}`);
    else if (reports % linesPerReport === 0 || !text.startsWith('cycle')) say(text);
  },
});
if (isTerminal) say('');

const megabytes = (outcome.bytesRead / 1024 ** 2).toFixed(1);
const ends = Object.entries(outcome.exits).map(([reason, count]) => `${count} ${reason}`);
say(`${outcome.killedGateways} gateways and ${outcome.killedSpawnds} spawnds were killed`);
say(`${outcome.runs} runs, ${outcome.voids} of them ended before they started; ${ends.join(', ')}`);
say(`${megabytes} MB of output, each byte compared for two readers and in three replays`);
for (const { rule, runId, what } of outcome.violations) {
  say(`VIOLATION of "${rule}"${runId === undefined ? '' : `, run ${runId}`}: ${what}`);
}
if (outcome.violations.length === 0) {
  say('nothing was lost, doubled, left behind or touched');
  if (!options.isKept) rmSync(dir, { recursive: true, force: true });
} else {
  say(
    `${outcome.violations.length} violations; look at ${dir}, run again with --seed ${options.seed}`,
  );
  process.exitCode = 1;
}
