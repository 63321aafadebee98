/*
 * The server is killed or restarted in the middle of writes: with a key everything happens once, without one nothing happens
 * that was refused and nothing is missing that was acknowledged.
 */
import assert from 'node:assert/strict';
import { type AccountStore, StoreError } from '@clawdfather/store';
import { onPostgres } from '../backends.ts';
import { readEvents } from '../read-events.ts';
import { createWorld } from '../world.ts';

const count = 160;
const lanes = 4;

/** In several lanes; `onReached` is called once, in the middle. */
async function inLanes(
  write: (number: number) => Promise<void>,
  onReached: () => void,
): Promise<void> {
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let number = lane; number < count; number += lanes) {
        if (number === count / 4) onReached();
        await write(number);
      }
    }),
  );
}

const appendTo = (account: AccountStore, threadId: string) => (payload: number) =>
  account.events.append({ threadId, epoch: 1, events: [{ type: 'delta', payload }] });

for (const manner of ['restart', 'crash'] as const) {
  onPostgres(`keyed writes while the server has a ${manner}: all, once`, async (backend) => {
    const store = await backend.open();
    const { account, threadId } = await createWorld(store);
    let back: Promise<void> | undefined;
    await inLanes(
      async (number) => {
        const outcome = await account.once({
          key: `n${number}`,
          requestHash: 'h',
          work: async ({ events }) => {
            const draft = { type: 'delta', payload: number };
            await events.append({ threadId, epoch: 1, events: [draft] });
            return number;
          },
        });
        assert.ok('result' in outcome && outcome.result === number);
      },
      () => {
        back = backend.server!.restartBy(manner);
      },
    );
    assert.ok(back !== undefined);
    await back;
    const events = await readEvents(store, account.accountId, threadId);
    assert.deepEqual(
      events.map(({ seq }) => seq),
      Array.from({ length: count }, (_, index) => index + 1),
    );
    const numbers = events.map(({ payload }) => Number(payload)).toSorted((a, b) => a - b);
    assert.deepEqual(
      numbers,
      Array.from({ length: count }, (_, index) => index),
    );
  });

  onPostgres(`plain writes while the server has a ${manner}: no lie`, async (backend) => {
    const store = await backend.open();
    const { account, threadId } = await createWorld(store);
    const append = appendTo(account, threadId);
    const outcomes = new Map<number, string>();
    let back: Promise<void> | undefined;
    await inLanes(
      async (number) => {
        const outcome = await append(number).then(
          (appended) => appended.outcome,
          (error: unknown) => (error instanceof StoreError ? error.code : String(error)),
        );
        outcomes.set(number, outcome);
      },
      () => {
        back = backend.server!.restartBy(manner);
      },
    );
    await back;
    const events = await readEvents(store, account.accountId, threadId);
    const stored = events.map(({ payload }) => Number(payload));
    const known = new Set(stored);
    assert.equal(known.size, stored.length, 'nothing twice');
    for (const [number, outcome] of outcomes) {
      if (outcome === 'appended') assert.ok(known.has(number), `${number} is there`);
      else assert.equal(outcome, 'outcome-unknown', `${number}`);
    }
    /* Of each lane at most one was committing at that moment. */
    assert.ok([...outcomes.values()].filter((each) => each !== 'appended').length <= lanes);
  });
}
