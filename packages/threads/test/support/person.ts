/*
 * A conversation of two turns, and the person who has it: asks, answers what the agent asks, and asks once more; with whichever gateway is
 * there, as often as it takes. A message has an id, so that it is one turn however often it is sent. Each gateway's person chooses another
 * option: an answer that went out without being committed would show.
 */
import assert from 'node:assert/strict';
import {
  askPermission,
  endTurn,
  expectInitialize,
  expectNew,
  onPrompt,
  say,
  sayAnswer,
  script,
  toolCall,
  toolCallUpdate,
} from '@clawdfather/testkit';
import { anAccount } from './memory-records.ts';
import { clock, type TestGateway, type ThreadsRig } from './threads-rig.ts';

export const conversation = script([
  expectInitialize(),
  expectNew(),
  onPrompt([
    say('one '),
    say('two '),
    toolCall('t', 'make'),
    askPermission('rm x', { as: 'p' }),
    sayAnswer('p'),
    toolCallUpdate('t', { status: 'completed' }),
    say(' three'),
    endTurn(),
  ]),
  onPrompt([say(' four'), endTurn()]),
]);

const messages = ['first', 'second'] as const;
const limitMs = 30_000;

/* Until both turns have ended (true), or the gateway has stopped (false). `choice`: which of the options. */
export async function talk(
  rig: ThreadsRig,
  gateway: TestGateway,
  choice: number,
): Promise<boolean> {
  const lateMs = clock.monotonicMs() + limitMs;
  let refused: unknown;
  for (;;) {
    if (isOver(rig)) return true;
    if (gateway.hasStopped()) return false;
    assert.ok(
      clock.monotonicMs() < lateMs,
      `gateway ${choice} stands still: ${where(rig)}, ${String(refused)}`,
    );
    // What it does may wait for ever, when the gateway is frozen in it.
    let isDone = false;
    void act(rig, gateway, choice)
      .catch((error: unknown) => {
        refused = error;
      })
      .finally(() => {
        isDone = true;
      });
    while (!isDone && !gateway.hasStopped()) {
      assert.ok(
        clock.monotonicMs() < lateMs,
        `a call to gateway ${choice} stands still: ${where(rig)}`,
      );
      await clock.sleep(1);
    }
  }
}

async function act(rig: ThreadsRig, { threads }: TestGateway, choice: number): Promise<void> {
  const [id] = rig.database.threads.keys();
  if (id === undefined) {
    const given = { agent: 'fake', cwd: rig.dir, title: 'a talk' };
    await threads.create(anAccount, given, { actor: 'device:1' });
    return;
  }
  const stored = rig.database.threads.get(id);
  const turns = [...(stored?.turns.values() ?? [])];
  const open = [...(stored?.asks.values() ?? [])].find(({ state }) => state === 'open');
  if (open !== undefined) {
    const options = open.params['options'] as readonly { optionId: string }[];
    const optionId = options[choice % options.length]?.optionId ?? '';
    const answer = { kind: 'option', optionId } as const;
    await threads.answer(anAccount, open.id, { answer, by: { actor: `device:${choice}` } });
    return;
  }
  const next = messages.find(
    (message) => !turns.some(({ clientMessageId }) => clientMessageId === message),
  );
  const isFree = turns.every(({ endedAtMs }) => endedAtMs !== undefined);
  if (next !== undefined && isFree) await rig.sayOnce(threads, id, next);
  else await clock.sleep(1);
}

function isOver({ database }: ThreadsRig): boolean {
  const [stored] = database.threads.values();
  const ended = [...(stored?.turns.values() ?? [])].filter(
    ({ endedAtMs }) => endedAtMs !== undefined,
  );
  return ended.length === messages.length;
}

function where({ database }: ThreadsRig): string {
  const [stored] = database.threads.values();
  const { run, turns, events } = stored ?? {};
  return JSON.stringify({ run, turns: [...(turns?.values() ?? [])], last: events?.at(-1) });
}

/* All that has to be so when it is over, however many gateways it took. `name` tells which. */
export function checkTalk(rig: ThreadsRig, name: string): void {
  const [id = ''] = rig.database.threads.keys();
  const stored = rig.database.threads.get(id);
  assert.ok(stored, name);
  assert.equal(rig.database.threads.size, 1, name);
  const turns = [...stored.turns.values()];
  assert.deepEqual(
    turns.map(({ clientMessageId, status }) => [clientMessageId, status]),
    messages.map((message) => [message, 'completed']),
    name,
  );
  const [ask, ...others] = stored.asks.values();
  assert.deepEqual(others, [], `${name}: one card`);
  const decided = ask?.decision?.answer;
  assert.ok(decided?.kind === 'option', name);
  // The agent says what it was answered, so the answer that is stored is the one that it got.
  const outcome = { outcome: { outcome: 'selected', optionId: decided.optionId } };
  const answer = JSON.stringify({ result: outcome });
  assert.equal(rig.text(id), `one two ${answer} three four`, name);
  const cards = rig.events(id).filter(({ type }) => type === 'approval');
  assert.deepEqual(
    cards.map(({ payload }) => payload['state']),
    ['open', 'answered'],
    name,
  );
  const seqs = rig.events(id).map(({ seq }) => seq);
  assert.deepEqual(
    seqs,
    seqs.map((_seq, index) => index + 1),
    name,
  );
  rig.checkTrace(id);
}
