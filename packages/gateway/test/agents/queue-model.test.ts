/*
 * The queue as gateways use it, on both databases: any order of prompts, ends and looks by two gateways that share the rows, one after the other and
 * at once. Lanes hold, nothing that fits is left waiting, an account is served in its order, and none is served before another that has less.
 *
 * Chance chooses the steps; a failure is shrunk to the few that matter, with the seed that repeats it.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  admitTurn,
  cancelTurn,
  compareSpots,
  enqueueTurn,
  keyAfter,
  type ReadyTurn,
  type RunningTurn,
  type ThreadChange,
  type ThreadRecords,
  type ThreadRows,
} from '@clawdfather/agents';
import { type AccountId, createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { openStore, parseAccountId, type Store } from '@clawdfather/store';
import { createFakeClock, usePostgres } from '@clawdfather/testkit';
import { createAdmission, usualQueueLimits } from '@clawdfather/threads';
import fc from 'fast-check';

const below = { agent: 3, account: 2, gateway: 2 };
const lane = (activeMax: number) => ({ activeMax, waitingMax: 999, waitMsMax: 3_600_000 });
const limits = {
  ...usualQueueLimits,
  agent: lane(below.agent),
  account: lane(below.account),
  gateway: lane(below.gateway),
};
const people = ['ann', 'bob', 'eve'];
const agents = ['claude', 'codex'];
const gateways = ['here', 'there'];
const audit = { action: 'test', actor: 'test' };
const postgres = usePostgres();

class World {
  readonly #store: Store;
  readonly #clock = createFakeClock();
  readonly #accounts: readonly AccountId[];
  #count = 0;

  constructor(store: Store, accounts: readonly AccountId[]) {
    this.#store = store;
    this.#accounts = accounts;
  }

  /* In a thread of its own, or in the newest of that agent, behind what is there. */
  async say(person: number, agent: string, isNew: boolean): Promise<void> {
    await this.#clock.advance(1);
    const accountId = this.#accounts[person]!;
    const records = this.#recordsOf(accountId);
    const threads = await records.list({ limit: 100 });
    const known = threads.items.find((thread) => thread.agent === agent);
    const made = { agent, cwd: '/', title: 't', instanceId: 'here' };
    const id = isNew || known === undefined ? (await records.create(made)).thread.id : known.id;
    this.#count += 1;
    const queueKey = keyAfter((await this.#store.system.queue.lastKey(accountId)) ?? 0);
    const asked = { id: `${id}-${this.#count}`, prompt: [], loadClass: 'long_task' } as const;
    const turn = { ...asked, requester: 'device:a', queueKey };
    await this.#change(records, id, (rows) => enqueueTurn(rows, turn, this.#clock.wallMs()));
  }

  /* The one that has run the longest, so that a lane is free again. */
  async end(person: number): Promise<void> {
    const accountId = this.#accounts[person]!;
    const [first] = (await this.#running()).filter((turn) => turn.accountId === accountId);
    if (first === undefined) return;
    const { threadId, turnId } = first;
    const cancel = { turnId, cause: 'asked', actor: 'device:a' } as const;
    await this.#change(this.#recordsOf(accountId), threadId, (rows) =>
      cancelTurn(rows, cancel, this.#clock.wallMs()),
    );
  }

  /* As a gateway does it whenever something has changed. Alone on the rows, so each admission is judged by what it finds. */
  async look(instanceId: string): Promise<void> {
    await this.#look(instanceId, (turn) => this.#judge(turn, instanceId));
    const left = await this.#fitting(instanceId, await this.#running());
    assert.deepEqual(left, [], 'nothing is left that fits');
  }

  async lookAtOnce(): Promise<void> {
    await Promise.all(gateways.map((name) => this.#look(name, async () => {})));
  }

  async check(): Promise<void> {
    const running = await this.#running();
    const most = (nameOf: (turn: RunningTurn) => string | undefined): number =>
      Math.max(0, ...[...Map.groupBy(running, nameOf).values()].map(({ length }) => length));
    assert.ok(most(({ agent }) => agent) <= below.agent, 'the lanes of agents hold');
    assert.ok(most(({ accountId }) => accountId) <= below.account, 'the lanes of accounts hold');
    assert.ok(most(({ instanceId }) => instanceId) <= below.gateway, 'the lanes of gateways hold');
    assert.equal(most(({ threadId }) => threadId) <= 1, true, 'one turn of a thread at a time');
  }

  async #look(instanceId: string, judge: (turn: ReadyTurn) => Promise<void>): Promise<void> {
    let looked: Promise<void> = Promise.resolve();
    const failures: unknown[] = [];
    const admission = createAdmission({
      queue: this.#store.system.queue,
      instanceId,
      limits,
      availableBytes: async () => undefined,
      log: { ...silentLog, warn: (_name, facts) => void failures.push(facts) },
      clock: this.#clock,
      observer: {
        apart: (work) => {
          const done = work();
          looked = Promise.resolve(done).then(() => undefined);
          return done;
        },
      },
      admit: async (turn) => {
        await judge(turn);
        await this.#admit(turn, instanceId);
      },
      expire: async () => assert.fail('nothing waits for so long'),
    });
    admission.look();
    await looked;
    await admission.close();
    assert.deepEqual(failures, []);
  }

  async #admit({ accountId, threadId }: ReadyTurn, instanceId: string): Promise<void> {
    const claim = { kind: 'admit', instanceId, below } as const;
    await this.#change(this.#recordsOf(accountId), threadId, (rows) =>
      admitTurn(rows, this.#clock.wallMs(), claim),
    );
  }

  /* By the words of docs/queue.md, and by the rows alone. */
  async #judge(turn: ReadyTurn, instanceId: string): Promise<void> {
    const running = await this.#running();
    const fitting = await this.#fitting(instanceId, running);
    const runningOf = (of: AccountId): number =>
      running.filter(({ accountId }) => accountId === of).length;
    assert.ok(
      fitting.some(({ turnId }) => turnId === turn.turnId),
      'it is ready, and fits',
    );
    for (const other of fitting.filter(({ turnId }) => turnId !== turn.turnId)) {
      if (other.accountId === turn.accountId) {
        assert.ok(compareSpots(turn, other) < 0, 'in the order of its account');
        continue;
      }
      const [own, others] = [runningOf(turn.accountId), runningOf(other.accountId)];
      assert.ok(own <= others, `fair: ${own} run of the one that is served, ${others} of another`);
    }
  }

  async #fitting(
    instanceId: string,
    running: readonly RunningTurn[],
  ): Promise<readonly ReadyTurn[]> {
    const lanes = this.#accounts.flatMap((accountId) =>
      agents.map((agent) => ({ accountId, agent })),
    );
    const wanted = { lanes, instanceId, atMs: this.#clock.wallMs(), perLaneMax: 100 };
    const ready = await this.#store.system.queue.ready({ ...wanted, hasAgentOnly: false });
    const count = (isMeant: (turn: RunningTurn) => boolean): number =>
      running.filter(isMeant).length;
    return ready.filter(
      ({ accountId, agent }) =>
        count((one) => one.agent === agent) < below.agent &&
        count((one) => one.accountId === accountId) < below.account &&
        count((one) => one.instanceId === instanceId) < below.gateway,
    );
  }

  #running(): Promise<readonly RunningTurn[]> {
    return this.#store.system.queue.running();
  }

  #recordsOf(accountId: AccountId): ThreadRecords {
    return this.#store.forAccount(accountId).threads;
  }

  /* A conflict is decided anew; a lane that another one has filled is left. */
  async #change(
    records: ThreadRecords,
    threadId: string,
    decide: (rows: ThreadRows) => ThreadChange | undefined,
  ): Promise<void> {
    for (;;) {
      const rows = await records.load(threadId);
      assert.ok(rows);
      const change = decide(rows);
      if (change === undefined) return;
      if ((await records.commit(rows, change)) !== 'conflict') return;
    }
  }

  /* So that nothing of it is in the next one. */
  async finish(): Promise<void> {
    for (const accountId of this.#accounts) {
      const records = this.#recordsOf(accountId);
      for (const { id } of (await records.list({ limit: 100 })).items)
        await finishThread(records, id);
    }
  }
}

async function finishThread(records: ThreadRecords, id: string): Promise<void> {
  for (;;) {
    const rows = await records.load(id);
    const turnId = rows?.turn?.id ?? rows?.queue[0]?.id;
    if (rows === undefined || turnId === undefined) return;
    const change = cancelTurn(rows, { turnId, cause: 'asked', actor: 'device:a' }, 1);
    if (change !== undefined) await records.commit(rows, change);
  }
}

type Step =
  | {
      readonly kind: 'say';
      readonly person: number;
      readonly agent: string;
      readonly isNew: boolean;
    }
  | { readonly kind: 'end'; readonly person: number }
  | { readonly kind: 'look'; readonly gateway: string }
  | { readonly kind: 'look-at-once' };

const person = fc.nat({ max: people.length - 1 });
const say: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('say'),
  person,
  agent: fc.constantFrom(...agents),
  isNew: fc.boolean(),
});
const end: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('end'), person });
const gateway = fc.constantFrom(...gateways);
const look: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('look'), gateway });
const lookAtOnce: fc.Arbitrary<Step> = fc.constant({ kind: 'look-at-once' });
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: say },
    { weight: 4, arbitrary: end },
    { weight: 4, arbitrary: look },
    { weight: 1, arbitrary: lookAtOnce },
  ),
  { minLength: 10, maxLength: 50, size: 'max' },
);

async function play(world: World, step: Step): Promise<void> {
  switch (step.kind) {
    case 'say':
      return world.say(step.person, step.agent, step.isNew);
    case 'end':
      return world.end(step.person);
    case 'look':
      return world.look(step.gateway);
    case 'look-at-once':
      return world.lookAtOnce();
  }
}

async function accountsOf(store: Store, world: number): Promise<readonly AccountId[]> {
  const ids = [];
  for (const name of people) {
    const login = `${name}-${world}`;
    const profile = {
      provider: 'github',
      providerUserId: login,
      login,
      displayName: login,
    } as const;
    const made = await store.system.accounts.signIn({ profile, mayCreate: true, audit });
    assert.equal(made.outcome, 'created');
    ids.push(parseAccountId(made.account.id));
  }
  return ids;
}

async function holds(store: Store, usualRuns: number): Promise<void> {
  let worlds = 0;
  const property = fc.asyncProperty(steps, async (taken) => {
    worlds += 1;
    const world = new World(store, await accountsOf(store, worlds));
    try {
      for (const step of taken) {
        await play(world, step);
        await world.check();
      }
    } finally {
      await world.finish();
    }
  });
  await fc.assert(property, { numRuns: Number(process.env['MODEL_RUNS'] ?? usualRuns) });
}

const deps = { clock: createSystemClock(), random: createSystemRandom() };

test('whoever says how much: the queue is fair, in order, and within its lanes (SQLite)', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-queue-'));
  const store = await openStore({ kind: 'sqlite', path: join(directory, 'control.db') }, deps);
  try {
    await holds(store, 15);
  } finally {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test('whoever says how much: the queue is fair, in order, and within its lanes (PostgreSQL)', {
  skip: postgres.skip,
}, async () => {
  const { connectionString } = await postgres.server.createDatabase();
  const store = await openStore({ kind: 'postgres', connectionString }, deps);
  try {
    await holds(store, 3);
  } finally {
    await store.close();
  }
});
