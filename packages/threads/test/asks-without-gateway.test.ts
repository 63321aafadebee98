/*
 * A gateway that is lost at points of a turn, a person on the agent's machine who answers without one, and a second gateway with a person of
 * its own that starts meanwhile: one card, one answer, and the agent is told once.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createAsksHere } from '@clawdfather/agents/asks';
import { createSupervisor } from '@clawdfather/supervisor';
import { checkTalk, conversation, talk } from './support/person.ts';
import { clock, ThreadsRig } from './support/threads-rig.ts';

const atOnce = 4;
/* Every third point: an ask is open, journalled or stored, for more than three. */
const pointsApart = 3;

interface Operator {
  /* It has looked once while no gateway was alive. */
  readonly looked: Promise<unknown>;
  /* Stops looking. True: the answer was this person's. */
  stop(): Promise<boolean>;
}

/* Looks and answers until it is stopped, as often as there is something to answer. */
function answerHere({ stateDir, database }: ThreadsRig): Operator {
  const { promise: looked, resolve, reject } = Promise.withResolvers<void>();
  let isStopped = false;
  const work = async (): Promise<boolean> => {
    let hasAnswered = false;
    const supervisor = await createSupervisor({ stateDir, launcher: 'direct' });
    try {
      const { records, due } = database;
      const asks = createAsksHere({ recordsOf: () => records, due, supervisor, clock });
      while (!isStopped) {
        for (const found of await asks.list()) {
          const answer = { kind: 'option', optionId: 'reject' } as const;
          const { outcome } = await asks.answer(found, { answer, actor: 'cli:ann' });
          hasAnswered ||= outcome === 'answered';
        }
        resolve();
        await clock.sleep(2);
      }
    } finally {
      await supervisor.close();
    }
    return hasAnswered;
  };
  const working = work();
  working.catch(reject);
  return {
    looked,
    stop: () => {
      isStopped = true;
      return working;
    },
  };
}

async function loseAt(t: TestContext, lostAt: number): Promise<'over' | 'here' | 'gateway'> {
  const rig = new ThreadsRig(t, conversation);
  const first = await rig.gateway({ lostAt });
  const isOver = await talk(rig, first, 0);
  await first.lose();
  let answeredBy: 'over' | 'here' | 'gateway' = 'over';
  if (!isOver) {
    const operator = answerHere(rig);
    await operator.looked;
    const second = await rig.gateway();
    await second.threads.takeUp();
    await talk(rig, second, 1);
    answeredBy = (await operator.stop()) ? 'here' : 'gateway';
    await second.lose();
  }
  checkTalk(rig, `lost at ${lostAt}`);
  await rig.close();
  return answeredBy;
}

test('lost at any point, answered without a gateway or by the next: once', {
  timeout: 600_000,
}, async (t) => {
  const answered = { here: 0, gateway: 0, over: 0 };
  for (let point = 1; answered.over === 0; point += atOnce * pointsApart) {
    const next = Array.from({ length: atOnce }, (_, index) =>
      loseAt(t, point + index * pointsApart),
    );
    for (const by of await Promise.all(next)) answered[by] += 1;
  }
  t.diagnostic(`${answered.here} answered here, ${answered.gateway} at a gateway`);
  assert.ok(answered.here > 0 && answered.gateway > 0, JSON.stringify(answered));
});
