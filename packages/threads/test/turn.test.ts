/*
 * A turn with a real agent process: its text, its permission, its end; and a gateway that is lost at every point of it.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkTalk, conversation, talk } from './support/person.ts';
import { ThreadsRig } from './support/threads-rig.ts';

const atOnce = 4;

test('an agent answers a prompt, asks for a permission, and ends its turn', async (t) => {
  const rig = new ThreadsRig(t, conversation);
  const gateway = await rig.gateway();
  assert.ok(await talk(rig, gateway, 0));
  checkTalk(rig, 'without a crash');
});

/* One gateway that is lost at its n-th point, then another. True while there is an n-th. */
async function loseAt(t: TestContext, lostAt: number): Promise<boolean> {
  const rig = new ThreadsRig(t, conversation);
  const first = await rig.gateway({ lostAt });
  const isLost = !(await talk(rig, first, 0));
  await first.lose();
  if (isLost) {
    const second = await rig.gateway();
    await second.threads.takeUp();
    await talk(rig, second, 1);
    await second.lose();
  }
  checkTalk(rig, `lost at ${lostAt}`);
  await rig.close();
  return isLost;
}

test('a gateway that is lost at any point of a turn loses nothing and repeats nothing', {
  timeout: 600_000,
}, async (t) => {
  let points = 0;
  // Some at a time: each waits for its agent most of the time.
  for (;;) {
    const next = Array.from({ length: atOnce }, (_, index) => loseAt(t, points + index + 1));
    const isThere = await Promise.all(next);
    points += isThere.filter(Boolean).length;
    if (isThere.includes(false)) break;
  }
  t.diagnostic(`${points} points`);
  assert.ok(points > 20, `${points} points`);
});
