/*
 * Crashes of which the next owner is not spared: a gateway is lost at one point, the next at another; and a gateway is frozen, a second
 * one takes its agent over with a higher epoch, and the first goes on as if nothing had happened.
 *
 * Chance chooses the points, by a seed that is printed. `npm test` runs some; `npm run test:turns:long` (TURNS=300) many. SEED=n repeats.
 */
import { type TestContext, test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import { createSeededRandom } from '@clawdfather/testkit';
import { checkTalk, conversation, talk } from './support/person.ts';
import { type TestGateway, ThreadsRig } from './support/threads-rig.ts';

const count = Number(process.env['TURNS'] ?? 8);
const seed = Number(process.env['SEED'] ?? numberFrom(createSystemRandom().bytes(4)));
const options = { timeout: 60_000 + count * 20_000 };
/* About as many as a conversation without a crash passes. */
const pointsMax = 50;
/* Each waits for its agent most of the time. */
const atOnce = 4;

function numberFrom(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

type Chance = (most: number) => number;

/* Each case has a seed of its own, so that it can be repeated alone. */
async function eachCase(
  t: TestContext,
  play: (rig: ThreadsRig, chance: Chance, name: (what: string) => string) => Promise<void>,
): Promise<void> {
  t.diagnostic(`${count} cases from seed ${seed}`);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const own = seed + next;
      next += 1;
      const random = createSeededRandom(own);
      const chance: Chance = (most) => 1 + (numberFrom(random.bytes(4)) % most);
      const rig = new ThreadsRig(t, conversation);
      await play(rig, chance, (what) => `SEED=${own} TURNS=1: ${what}`).catch((error: unknown) => {
        throw new Error(`SEED=${own} TURNS=1`, { cause: error });
      });
      await rig.close();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function takeUp(rig: ThreadsRig, lostAt?: number): Promise<TestGateway> {
  const gateway = await rig.gateway(lostAt === undefined ? {} : { lostAt });
  await gateway.threads.takeUp().catch(() => undefined);
  return gateway;
}

test('two gateways in a row are lost, each at any point', options, (t) =>
  eachCase(t, async (rig, chance, name) => {
    const [first, second] = [chance(pointsMax), chance(pointsMax)];
    let isOver = false;
    for (const [owner, lostAt] of [first, second, undefined].entries()) {
      if (isOver) break;
      const gateway = await takeUp(rig, lostAt);
      isOver = await talk(rig, gateway, owner);
      await gateway.lose();
    }
    checkTalk(rig, name(`lost at ${first} and ${second}`));
  }),
);

test('a frozen gateway that was superseded does no harm when it thaws', options, (t) =>
  eachCase(t, async (rig, chance, name) => {
    const [frozenAt, thawedAt] = [chance(pointsMax), chance(pointsMax)];
    const first = await rig.gateway({ frozenAt });
    if (!(await talk(rig, first, 0))) {
      rig.expireLeases();
      const onPoint = (_point: unknown, point: number): void => {
        if (point === thawedAt) first.thaw();
      };
      const second = await rig.gateway({ onPoint });
      await second.threads.takeUp();
      await talk(rig, second, 1);
      first.thaw();
      // It even looks for work again, as it would by its timers.
      await first.threads.takeUp();
      // What it was about to do is done, or refused, before anything is looked at.
      await first.threads.close();
      await second.lose();
    }
    await first.lose();
    checkTalk(rig, name(`frozen at ${frozenAt}, thawed at ${thawedAt} of the next`));
  }),
);

test('the one that took over is lost too, while the first is frozen', options, (t) =>
  eachCase(t, async (rig, chance, name) => {
    const [frozenAt, lostAt] = [chance(pointsMax), chance(pointsMax)];
    await loseWhileFrozen(rig, { frozenAt, lostAt });
    checkTalk(rig, name(`frozen at ${frozenAt}, the next lost at ${lostAt}`));
  }),
);

test(
  'one that thaws while another starts the agent is refused, and fails nothing',
  options,
  async (t) => {
    const rig = new ThreadsRig(t, conversation);
    await loseWhileFrozen(rig, { frozenAt: 1, lostAt: 1 });
    checkTalk(rig, 'both begin with the same turn');
  },
);

/* A third one goes on, and the first thaws beside it. */
async function loseWhileFrozen(
  rig: ThreadsRig,
  { frozenAt, lostAt }: { readonly frozenAt: number; readonly lostAt: number },
): Promise<void> {
  const first = await rig.gateway({ frozenAt });
  let isOver = await talk(rig, first, 0);
  if (!isOver) {
    rig.expireLeases();
    const second = await takeUp(rig, lostAt);
    isOver = await talk(rig, second, 1);
    await second.lose();
  }
  if (!isOver) {
    const third = await takeUp(rig);
    first.thaw();
    await talk(rig, third, 2);
    await first.threads.close();
    await third.lose();
  }
  await first.lose();
}
