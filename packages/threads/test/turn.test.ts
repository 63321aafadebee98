/*
 * A turn with a real agent process: its text, its permission, its end; and a gateway that is lost at every point of it.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  askPermission,
  endTurn,
  expectInitialize,
  expectNew,
  onPrompt,
  say,
  script,
} from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { type TestGateway, ThreadsRig } from './support/threads-rig.ts';

const conversation = script([
  expectInitialize(),
  expectNew(),
  onPrompt([say('one '), say('two '), askPermission('rm x', { as: 'p' }), say('three'), endTurn()]),
  onPrompt([say(' four'), endTurn()]),
]);

async function answerFirst(rig: ThreadsRig, { threads }: TestGateway): Promise<void> {
  const [ask] = await rig.database.records.openAsks();
  assert.ok(ask);
  const options = ask.params['options'] as { optionId: string }[];
  const answer = { kind: 'option', optionId: options[0]?.optionId ?? '' } as const;
  await threads.answer(anAccount, ask.id, { answer, actor: 'device:1' });
}

test('an agent answers a prompt, asks for a permission, and ends its turn', async (t) => {
  const rig = new ThreadsRig(t, conversation);
  const gateway = await rig.gateway();
  const { id, turnId } = await rig.ask(gateway.threads, 'hello');
  await rig.until('it asks', () => rig.events(id).some(({ type }) => type === 'approval'));
  await answerFirst(rig, gateway);
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.text(id), 'one two three');
  const turn = rig.database.threads.get(id)?.turns.get(turnId);
  assert.equal(turn?.status, 'completed');
  rig.checkTrace(id);
});

/* One gateway that is lost at its n-th point, then another. True while there is an n-th. */
async function loseAt(t: TestContext, lostAt: number): Promise<boolean> {
  const rig = new ThreadsRig(t, conversation);
  let isLost = false;
  const first = await rig.gateway({ lostAt, onLost: () => (isLost = true) });
  const asked = await rig.ask(first.threads, 'hello').catch(() => undefined);
  const [id = ''] = rig.database.threads.keys();
  const hasAsked = (): boolean => rig.events(id).some(({ type }) => type === 'approval');
  const turnId = [...(rig.database.threads.get(id)?.turns.keys() ?? [])][0] ?? '';
  if (asked === undefined && turnId === '') {
    // The prompt was never stored, and its sender was told so.
    await rig.close();
    return isLost;
  }
  await rig.until('it asks, or is lost', () => isLost || hasAsked());
  if (!isLost) await answerFirst(rig, first).catch(() => undefined);
  await rig.until('it ends, or is lost', () => isLost || rig.turnEnded(id, turnId));
  await first.lose();
  const second = await rig.gateway();
  await second.threads.takeUp();
  await rig.until('it asks', hasAsked);
  const isAnswered = (): boolean =>
    rig.events(id).some(({ payload }) => payload['state'] === 'answered');
  if (!isAnswered()) await answerFirst(rig, second);
  await rig.until(`the turn has ended (${lostAt})`, () => rig.turnEnded(id, turnId));
  assert.equal(rig.text(id), 'one two three', `lost at ${lostAt}`);
  const stored = rig.database.threads.get(id);
  assert.equal(stored?.turns.get(turnId)?.status, 'completed');
  assert.equal(stored?.asks.size, 1, `lost at ${lostAt}`);
  const seqs = rig.events(id).map(({ seq }) => seq);
  assert.deepEqual(
    seqs,
    seqs.map((_seq, index) => index + 1),
  );
  const again = await rig.say(second.threads, id, 'and again');
  await rig.until('the next turn has ended', () => rig.turnEnded(id, again));
  assert.equal(rig.text(id), 'one two three four', `lost at ${lostAt}`);
  rig.checkTrace(id);
  await second.lose();
  await rig.close();
  return isLost;
}

test('a gateway that is lost at any point of a turn loses nothing and repeats nothing', {
  timeout: 600_000,
}, async (t) => {
  let points = 1;
  while (await loseAt(t, points)) points += 1;
  t.diagnostic(`${points - 1} points`);
  assert.ok(points > 20, `${points} points`);
});
