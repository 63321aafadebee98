/*
 * The server is killed or restarted in the middle of writes: with a key everything happens once, without one nothing happens
 * that was refused and nothing is missing that was acknowledged.
 */
import assert from 'node:assert/strict';
import { StoreError } from '@clawdfather/store';
import { onPostgres } from '../backends.ts';
import { isGapless, readNumbers, writeNumber } from '../numbered-writes.ts';
import { createAccount } from '../world.ts';

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

for (const manner of ['restart', 'crash'] as const) {
  onPostgres(`keyed writes while the server has a ${manner}: all, once`, async (backend) => {
    const store = await backend.open();
    const account = await createAccount(store, 'ann');
    let back: Promise<void> | undefined;
    await inLanes(
      async (number) => {
        const outcome = await account.once({
          key: `n${number}`,
          requestHash: 'h',
          work: async (queries) => {
            await writeNumber(queries, number);
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
    const { seqs, numbers } = await readNumbers(store, account.accountId);
    assert.ok(isGapless(seqs));
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({ length: count }, (_, index) => index),
    );
  });

  onPostgres(`plain writes while the server has a ${manner}: no lie`, async (backend) => {
    const store = await backend.open();
    const account = await createAccount(store, 'ann');
    const outcomes = new Map<number, string>();
    let back: Promise<void> | undefined;
    await inLanes(
      async (number) => {
        const outcome = await writeNumber(account, number).then(
          () => 'written',
          (error: unknown) => (error instanceof StoreError ? error.code : String(error)),
        );
        outcomes.set(number, outcome);
      },
      () => {
        back = backend.server!.restartBy(manner);
      },
    );
    await back;
    const { numbers } = await readNumbers(store, account.accountId);
    const known = new Set(numbers);
    assert.equal(known.size, numbers.length, 'nothing twice');
    for (const [number, outcome] of outcomes) {
      if (outcome === 'written') assert.ok(known.has(number), `${number} is there`);
      else assert.equal(outcome, 'outcome-unknown', `${number}`);
    }
    /* Of each lane at most one was committing at that moment. */
    assert.ok([...outcomes.values()].filter((each) => each !== 'written').length <= lanes);
  });
}
