/*
 * A short campaign, as `npm run chaos` runs a long one: J1, J2, O2, O3, S1 and T7 under kill -9.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCampaign } from '../campaign/run-campaign.ts';

const cycles = 5;
/* Any would do; with this one two gateways live at once and a spawnd dies. */
const seed = 7;

test('after five kill -9 cycles nothing is lost, doubled, left or touched', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'clf-chaos-test-'));
  const progress: string[] = [];
  const outcome = await runCampaign({
    dir,
    cycles,
    seed,
    onProgress: (text) => void progress.push(text),
  });
  assert.deepEqual(outcome.violations, [], `look at ${dir}`);
  assert.ok(outcome.killedGateways >= cycles);
  assert.ok(outcome.runs > outcome.voids, `${outcome.runs} runs`);
  assert.ok(outcome.bytesRead > 0);
  assert.equal(progress.length, cycles + 1);
  t.diagnostic(
    `${outcome.runs} runs, ${outcome.bytesRead} bytes, ${JSON.stringify(outcome.exits)}`,
  );
  /* Only now: a failed campaign can be looked at. */
  rmSync(dir, { recursive: true, force: true });
});
