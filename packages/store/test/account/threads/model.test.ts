/*
 * Anything that can happen to threads, in any order, on both databases: prompts, agents that speak and ask and die, people who decide at once,
 * owners that are lost, frozen, superseded and thawed. After every step the rows are what they have to be.
 *
 * Chance chooses the steps; a failure is shrunk to the few that matter, with the seed that repeats it.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { QueueRecords } from '@clawdfather/agents';
import { onBoth } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import { ModelledThread } from './modelled-thread.ts';
import { newThread } from './thread-rows.ts';

/* Fewer than threads, so that it matters; and one of each account. */
const lanes = { agent: 2, account: 1, gateway: 2 };
const threadsMax = 4;
const stepsMax = 60;

interface Real {
  readonly threads: readonly ModelledThread[];
  readonly queue: QueueRecords;
}

type Step = (thread: ModelledThread, real: Real) => Promise<void> | void;

/* X1. What is told to be full is full. */
const admit: Step = async (thread, { queue }) => {
  const outcome = await thread.admit(lanes);
  if (typeof outcome === 'string') return;
  assert.equal(outcome.count, lanes[outcome.lane]);
  assert.ok((await queue.running()).length > 0, 'something runs where there is no room');
};

const steps: Readonly<Record<string, Step>> = {
  enqueue: (thread) => thread.enqueue(),
  admit,
  begin: (thread) => thread.begin(),
  say: (thread) => thread.say(),
  ask: (thread) => thread.ask(),
  answerCalls: (thread) => thread.answerCalls({ endsTurn: false }),
  endTurn: (thread) => thread.answerCalls({ endsTurn: true }),
  consume: (thread) => thread.consume(),
  decide: (thread) => thread.decide(['device:a', 'device:b', 'device:c']),
  cancel: (thread) => thread.cancel(),
  // In the middle of what its agent says.
  freeze: async (thread) => {
    thread.say();
    await thread.freeze();
  },
  thaw: (thread) => thread.thaw(),
  steal: (thread) => thread.steal(),
  // The next owner knows nothing but the rows; what was not committed is gone.
  crash: (thread) => thread.steal(),
  agentDies: (thread) => thread.die(),
  // The usual way, so that many get far.
  proceed: async (thread, real) => {
    await thread.enqueue();
    await admit(thread, real);
    await thread.begin();
    for (let call = 0; call < 2; call += 1) {
      await thread.answerCalls({ endsTurn: false });
      await thread.consume();
    }
  },
};

class Happening implements fc.AsyncCommand<object, Real> {
  readonly #name: string;
  readonly #thread: number;

  constructor(name: string, thread: number) {
    this.#name = name;
    this.#thread = thread;
  }

  check(): boolean {
    return true;
  }

  async run(_model: object, real: Real): Promise<void> {
    const thread = real.threads[this.#thread];
    assert.ok(thread);
    await steps[this.#name]?.(thread, real);
    for (const one of real.threads) await one.check();
    const running = await real.queue.running();
    assert.ok(running.length <= lanes.agent, 'no more run than may');
    const accounts = new Set(running.map(({ accountId }) => accountId));
    assert.equal(accounts.size, running.length, 'one of each account');
  }

  toString(): string {
    return `${this.#name}(${this.#thread})`;
  }
}

/* What makes the others matter comes more often. */
const often = ['proceed', 'proceed', 'consume', 'freeze', 'freeze', 'steal', 'thaw', 'thaw'];

const happenings = [...Object.keys(steps), ...often].map((name) =>
  fc.nat({ max: threadsMax - 1 }).map((thread) => new Happening(name, thread)),
);

onBoth('whatever happens to threads, their rows hold', async ({ open, kind }, t) => {
  const store = await open();
  let worlds = 0;
  const property = fc.asyncProperty(
    fc.commands(happenings, { maxCommands: stepsMax, size: '+1' }),
    async (commands) => {
      worlds += 1;
      const people = [
        await createAccount(store, `ann-${worlds}`),
        await createAccount(store, `bob-${worlds}`),
      ];
      const threads: ModelledThread[] = [];
      for (let count = 0; count < threadsMax; count += 1) {
        const { threads: records } = people[count % people.length]!;
        threads.push(new ModelledThread(records, (await newThread(records)).thread.id));
      }
      const real = { threads, queue: store.system.queue };
      await fc.asyncModelRun(() => ({ model: {}, real }), commands);
      // Turns of this world are not the next one's.
      for (const thread of real.threads) await thread.finish();
    },
  );
  const numRuns = Number(process.env['MODEL_RUNS'] ?? (kind === 'sqlite' ? 15 : 3));
  await fc.assert(property, { numRuns });
  t.diagnostic(`${worlds} worlds`);
});
