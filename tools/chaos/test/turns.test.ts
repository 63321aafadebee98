/*
 * A short campaign of turns, as `npm run chaos -- --turns 2000` runs a long one: gateways are killed with -9 while agents answer with text,
 * tools and permissions, and every agent gets what was committed, once.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runTurns } from '../turns/run-turns.ts';

const kills = 60;
/* Any would do. */
const seed = 11;

test('after 60 gateways that were killed in the middle of turns nothing is lost or doubled', {
  timeout: 600_000,
}, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'clf-chaos-turns-'));
  const outcome = await runTurns({ dir, kills, seed, onProgress: () => {} });
  assert.deepEqual(outcome.violations, [], `look at ${dir}`);
  assert.equal(outcome.kills, kills);
  // Each kill lets some work be done, or the campaign would prove nothing.
  assert.ok(outcome.turns > kills / 10, `${outcome.turns} turns`);
  assert.ok(outcome.asks > 0 && outcome.textBytes > 0);
  const { turns, asks, threads, ms } = outcome;
  t.diagnostic(`${turns} turns, ${asks} permissions, ${threads} agents, ${Math.round(ms)} ms`);
  /* Only now: a failed campaign can be looked at. */
  rmSync(dir, { recursive: true, force: true });
});
