/*
 * Two gateways over one database: each keeps rows in memory, and neither refuses what the other one's changes allow.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectInitialize, expectNew, gate, onPrompt, say, script } from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

test('what was kept in memory is no reason to refuse what is stored', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([expectInitialize(), expectNew(), onPrompt([say('one'), gate('never')])]),
  );
  const owner = await rig.gateway();
  const other = await rig.gateway();
  const { id } = await owner.threads.create(
    anAccount,
    { agent: 'fake', cwd: rig.dir, title: '' },
    { actor: 'device:1' },
  );
  // The other one looks while there is nothing, and keeps what it saw.
  await other.threads.agents.closeSession({ accountId: anAccount, id });
  const turnId = await rig.say(owner.threads, id, 'count');
  await rig.until('it speaks', () => rig.text(id) === 'one');
  assert.equal(
    await other.threads.agents.cancelTurn(anAccount, turnId, { actor: 'device:2' }),
    true,
  );
  assert.equal(
    await other.threads.agents.cancelTurn(anAccount, turnId, { actor: 'device:2' }),
    false,
    'but once',
  );
});
