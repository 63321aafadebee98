/*
 * A thread is told once that what it asked of another has ended: killed at every point in between, with several gateways that try at
 * once, on both databases.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { admitTurn, cancelTurn, enqueueTurn, type ThreadRecords } from '@clawdfather/agents';
import { type AccountId, deferred, silentLog } from '@clawdfather/kit';
import { openStore, parseAccountId, type Store } from '@clawdfather/store';
import { usePostgres } from '@clawdfather/testkit';
import {
  createEventDesk,
  createThreads,
  createWakes,
  silentThreadsObserver,
  type Threads,
  usualQueueLimits,
} from '@clawdfather/threads';
import { makeVisible } from '@clawdfather/tools/text';
import { systemDeps } from '../fixtures/open-test-gateway.ts';

const postgres = usePostgres();
const databases = ['sqlite', 'postgres'] as const;
const { clock, random } = systemDeps();
const instanceId = 'one';

class Crash extends Error {}

interface World extends AsyncDisposable {
  readonly store: Store;
  readonly accountId: AccountId;
  readonly records: ThreadRecords;
  /* Ended, and to be told to the thread of this id. */
  endedTurn(wakeId: string): Promise<string>;
  newThread(): Promise<string>;
}

async function openWorld(kind: (typeof databases)[number]): Promise<World> {
  await using opening = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'clf-wakes-'));
  opening.defer(() => rm(directory, { recursive: true, force: true }));
  const location =
    kind === 'sqlite'
      ? ({ kind, path: join(directory, 'control.db') } as const)
      : ({
          kind,
          connectionString: (await postgres.server.createDatabase()).connectionString,
        } as const);
  const store = opening.use(await openStore(location, { clock, random }));
  const audit = { action: 'test', actor: 'test' };
  const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const accountId = parseAccountId(owner.id);
  const records = store.forAccount(accountId).threads;
  const newThread = async (): Promise<string> =>
    (await records.create({ agent: 'fake', cwd: '/', title: 't', instanceId })).thread.id;
  const closing = opening.move();
  return {
    store,
    accountId,
    records,
    newThread,
    endedTurn: async (wakeId) => {
      const threadId = await newThread();
      const turn = {
        id: random.id(),
        prompt: [{ type: 'text', text: 'do it' }],
        loadClass: 'long_task',
        requester: `thread:${wakeId}`,
        wakeId,
      } as const;
      const change = async (next: Parameters<ThreadRecords['commit']>[1] | undefined) => {
        assert.ok(next);
        assert.equal(await records.commit((await records.load(threadId))!, next), 'committed');
      };
      await change(enqueueTurn((await records.load(threadId))!, turn, 1));
      await change(admitTurn((await records.load(threadId))!, 2));
      const cancel = { turnId: turn.id, cause: 'asked', actor: 'test' } as const;
      await change(cancelTurn((await records.load(threadId))!, cancel, 3));
      return turn.id;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/* What of a gateway this is about. `crashAt`: dead from this point on; nothing that it does later is done. */
function gatewayOver({ store }: Pick<World, 'store'>, crashAt = Number.POSITIVE_INFINITY) {
  const crashed = deferred();
  let points = 0;
  const point = (): void => {
    points += 1;
    if (points < crashAt) return;
    crashed.resolve();
    throw new Crash();
  };
  const threads: Threads = createThreads({
    recordsOf: (id) => store.forAccount(id).threads,
    due: store.system.threads,
    queue: store.system.queue,
    desk: createEventDesk(),
    supervisor: { instanceId, generation: 1, get: () => undefined } as never,
    lookAfter: () => {},
    // No agent here: a turn that is admitted fails at once, and stays as a row.
    starter: { plan: () => Promise.reject(new Crash('no agent')) },
    observer: silentThreadsObserver,
    clock,
    random,
    log: silentLog,
    limits: usualQueueLimits,
    availableBytes: async () => undefined,
    onPoint: point,
  });
  const wakes = createWakes({
    wakes: {
      due: (limit, skip) => store.system.wakes.due(limit, skip),
      settle: async (wake, outcome) => {
        if (points >= crashAt) throw new Crash();
        await store.system.wakes.settle(wake, outcome);
      },
    },
    recordsOf: (id) => store.forAccount(id).threads,
    prompt: (name, prompt) => threads.prompt(name, prompt),
    observer: silentThreadsObserver,
    makeVisible,
    clock,
    random,
    log: silentLog,
    onPoint: point,
  });
  return {
    wakes,
    crashed: crashed.promise,
    close: async () => {
      await wakes.close();
      await threads.close();
    },
  };
}

async function untilTold({ store }: Pick<World, 'store'>): Promise<void> {
  while ((await store.system.wakes.due(1)).length > 0) await clock.sleep(5);
}

for (const kind of databases) {
  const skip = kind === 'postgres' && postgres.skip;

  test(`killed at every point, a thread is woken exactly once (${kind})`, { skip }, async () => {
    await using world = await openWorld(kind);
    for (let crashAt = 1; ; crashAt += 1) {
      const parent = await world.newThread();
      const turnId = await world.endedTurn(parent);
      const first = gatewayOver(world, crashAt);
      first.wakes.look();
      const wasWhole = await Promise.race([
        first.crashed.then(() => false),
        untilTold(world).then(() => true),
      ]);
      await first.close();
      const next = gatewayOver(world);
      next.wakes.look();
      await untilTold(world);
      await next.close();
      const turns = await world.records.turns(parent);
      const ids = turns.map(({ clientMessageId }) => clientMessageId);
      assert.deepEqual(ids, [`wake:${turnId}`], `point ${crashAt}`);
      if (wasWhole && crashAt > 5) break;
      assert.ok(crashAt < 50, 'it comes to an end');
    }
  });

  test(`several gateways that look at once wake each thread once (${kind})`, { skip }, async () => {
    await using world = await openWorld(kind);
    const parents = await Promise.all(Array.from({ length: 8 }, () => world.newThread()));
    for (const parent of parents) {
      await world.endedTurn(parent);
      await world.endedTurn(parent);
    }
    const gateways = [gatewayOver(world), gatewayOver(world), gatewayOver(world)];
    for (const { wakes } of gateways) wakes.look();
    await untilTold(world);
    for (const { close } of gateways) await close();
    for (const parent of parents) {
      const turns = await world.records.turns(parent);
      assert.equal(turns.length, 2);
    }
  });
}

test('a thread that was put away, or is not there, is not woken, and that is settled', async () => {
  await using world = await openWorld('sqlite');
  const parent = await world.newThread();
  await world.endedTurn(parent);
  await world.endedTurn('0123456789abcdef');
  assert.equal(await world.records.archive(parent), 'archived');
  const gateway = gatewayOver(world);
  gateway.wakes.look();
  await untilTold(world);
  await gateway.close();
  assert.deepEqual(await world.records.turns(parent), []);
});
