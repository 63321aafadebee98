/*
 * Deadlines by load class, in journal time (W10): a turn that takes longer than its kind of work may fails with the code for it, and what was
 * answered in time was answered, although nobody was alive to see it.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LoadClass, TurnRow } from '@clawdfather/agents';
import {
  createFastClock,
  endTurn,
  expectInitialize,
  expectNew,
  gate,
  onPrompt,
  openGate,
  say,
  script,
} from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

const minuteMs = 60_000;
const by = { actor: 'device:1' };

for (const [loadClass, minutes] of [
  ['short_task', 10],
  ['long_task', 30],
  ['complex_chain_task', 60],
] as const satisfies readonly (readonly [LoadClass, number])[]) {
  test(`W10: a ${loadClass} has ${minutes} minutes from its prompt on, and then fails`, async (t) => {
    const rig = new ThreadsRig(
      t,
      script([expectInitialize(), expectNew(), onPrompt([say('one'), gate('never')])]),
    );
    const { threads } = await rig.gateway();
    const given = { agent: 'fake', cwd: rig.dir, title: '' };
    const { id } = await threads.create(anAccount, given, by);
    const blocks = [{ type: 'text', text: 'hello' }];
    const { turnId } = await threads.prompt(
      { accountId: anAccount, id },
      { blocks, loadClass, by },
    );
    const turn = (): TurnRow | undefined => rig.database.threads.get(id)?.turns.get(turnId);
    await rig.until('it was prompted', () => turn()?.deadlineAtMs !== undefined);
    const { startedAtMs = 0, deadlineAtMs = 0 } = turn()!;
    const hasMinutes = (deadlineAtMs - startedAtMs) / minuteMs;
    assert.ok(hasMinutes >= minutes && hasMinutes < minutes + 5, `${hasMinutes} minutes`);
    // As if they had passed.
    const stored = rig.database.threads.get(id)!;
    stored.turns.set(turnId, { ...turn()!, deadlineAtMs: deadlineAtMs - (minutes + 5) * minuteMs });
    stored.thread = { ...stored.thread, version: stored.thread.version + 1 };
    await rig.until('it has ended', () => rig.turnEnded(id, turnId));
    assert.equal(turn()?.status, 'failed');
    assert.equal(turn()?.result?.code, 'OPENCLAW_RUN_DEADLINE_EXCEEDED');
    assert.ok((turn()?.endedAtMs ?? 0) > 0);
    assert.equal(rig.endedLeases(id).length, 0, 'its agent stays');
  });
}

test('W10: what was answered in time while no gateway was alive was answered', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([
      expectInitialize(),
      expectNew(),
      onPrompt([say('one'), gate('go'), say(' two'), endTurn()]),
      gate('never'),
    ]),
  );
  const first = await rig.gateway();
  const { id, turnId } = await rig.ask(first.threads, 'hello');
  await rig.until('it answers', () => rig.text(id) === 'one');
  await first.lose();
  openGate(rig.gates, 'go').release();
  await rig.until('its answer is in the journal', () => isJournalled(rig, 'end_turn'));
  // For the next one it is hours later.
  const steady = createFastClock(1);
  const clock = { ...steady, wallMs: () => steady.wallMs() + 3 * 60 * minuteMs };
  const next = await rig.gateway({ clock });
  await next.threads.takeUp();
  await rig.until('it has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.text(id), 'one two');
  const turn = rig.database.threads.get(id)?.turns.get(turnId);
  assert.deepEqual([turn?.status, turn?.result?.code], ['completed', 'success']);
});

function isJournalled({ stateDir }: ThreadsRig, text: string): boolean {
  const files = readdirSync(stateDir, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile() && file.parentPath.includes('/runs/'))
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text));
}
