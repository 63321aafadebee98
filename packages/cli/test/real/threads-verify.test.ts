/*
 * `clf threads verify` against a real gateway: what was stored is what the agent said, over a restart; and what somebody has changed in the
 * database is found.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import { endTurn, expectInitialize, expectNew, onPrompt, say, script } from '@clawdfather/testkit';
import { createAgentRig } from '../support/agent-rig.ts';

test('a thread is compared with the journal of its agent, and a word that was changed is named', {
  timeout: 120_000,
}, async (t) => {
  const turn = onPrompt([say('all is '), say('well'), endTurn()]);
  const rig = await createAgentRig(t, script([expectInitialize(), expectNew(), turn]));
  const asked = await rig.clf('ask', '--json', 'how is it?');
  assert.equal(asked.code, 0, asked.stderr);
  const { threadId } = JSON.parse(asked.stdout.split('\n')[0] ?? '');
  const verify = async () => {
    const { stdout, code } = await rig.clf('threads', 'verify', '--json', threadId);
    return { code, found: cliShapes['verified-thread'].parse(JSON.parse(stdout)) };
  };
  const fresh = await verify();
  assert.deepEqual([fresh.code, fresh.found.runs.map(({ outcome }) => outcome)], [0, ['same']]);
  const shown = await rig.clf('threads', 'verify', threadId);
  assert.match(shown.stdout, /same \(\d+ compared\)\n\d+ events; runs: 1 same, 0 different/);

  await rig.killGateway();
  const home = rig.env['HOME'] ?? '';
  const [file] = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('control.db'),
  );
  {
    using database = new DatabaseSync(join(home, file ?? ''), { timeout: 5_000 });
    const change = `UPDATE turn_events SET payload_json = replace(payload_json, 'well', 'lost') WHERE type = 'delta'`;
    database.exec(change);
  }
  await rig.serveAgain();
  const changed = await verify();
  assert.deepEqual([changed.code, changed.found.runs[0]?.difference?.what], [1, 'changed']);
  assert.notEqual(changed.found.checksum, fresh.found.checksum);
});
