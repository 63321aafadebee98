/*
 * The gateway deletes by itself what the settings let go, and nothing else; and each deletion can be read in its log.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { CliRig } from '../support/cli-process.ts';
import { createGatewayRig, type ServedGateway } from '../support/gateway-rig.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/* A finished run whose record says that it ended so many days ago. */
async function finishedRun(rig: CliRig, daysAgo: number): Promise<string> {
  const id = (await rig.clf('run', '-d', '--', 'true')).stdout.trim();
  await rig.clf('wait', id);
  await rig.clf('ps');
  using db = new DatabaseSync(join(rig.stateDir, 'registry.db'));
  const sql = 'UPDATE runs SET ended_at_ms = ? WHERE run_id = ? AND exit IS NOT NULL';
  assert.equal(db.prepare(sql).run(Date.now() - daysAgo * dayMs, id).changes, 1);
  return id;
}

interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/* Resolves with the gateway's first line about this event. */
async function logged({ child, stderr }: ServedGateway, event: string): Promise<LogLine> {
  for (;;) {
    const lines = stderr().split('\n').slice(0, -1);
    const found = lines
      .map((line) => JSON.parse(line) as LogLine)
      .find((one) => one.event === event);
    if (found !== undefined) return found;
    assert.ok(child.stderr);
    await once(child.stderr, 'data');
  }
}

test('the clean-up keeps by gc.olderThan of the config file, and logs what it deletes and why', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const kept = await finishedRun(rig, 10);
  const old = await finishedRun(rig, 40);
  const config = join(rig.env['XDG_CONFIG_HOME'] ?? '', 'clawdfather');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.jsonc'), '{ "gc": { "olderThan": "30d" } }\n', {
    mode: 0o600,
  });

  const { level, detail } = await logged(await rig.serve(), 'run.removed');
  assert.deepEqual(
    [level, detail['runId'], detail['rule'], detail['limit']],
    ['info', old, 'age', 30 * dayMs],
  );
  assert.ok(Number(detail['ageMs']) >= 40 * dayMs);
  const runs = join(rig.stateDir, 'runs');
  assert.deepEqual([existsSync(join(runs, kept)), existsSync(join(runs, old))], [true, false]);
  assert.equal((await rig.clf('ps', '-a', '-q')).stdout, `${kept}\n`);
  // What a person sees of the same rule.
  const explained = await rig.clf('gc', '--older-than', '7d', '--dry-run');
  assert.match(explained.stdout, new RegExp(`^${kept.slice(0, 12)} +remove .*older than`, 'm'));
});
