/*
 * Idempotency keys: one effect per key, whoever asks, however often, at whatever time.
 */
import assert from 'node:assert/strict';
import { onBoth } from '../backends.ts';
import { readNumbers, writeNumber } from '../numbered-writes.ts';
import { createToken, createWorld, tokenLabels } from '../world.ts';

const dayMs = 24 * 3_600_000;

onBoth('a resend gets the stored result and has no second effect', async ({ open }) => {
  const { account } = await createWorld(await open());
  const send = () =>
    account.once({
      key: 'k1',
      requestHash: 'h1',
      work: async (queries) => {
        const made = await createToken(queries, 'once');
        return { outcome: made.outcome };
      },
    });
  assert.deepEqual(await send(), { outcome: 'done', result: { outcome: 'created' } });
  assert.deepEqual(await send(), { outcome: 'repeated', result: { outcome: 'created' } });
  assert.deepEqual(await tokenLabels(account), ['once']);
});

onBoth('the same key with another request is refused', async ({ open }) => {
  const { account } = await createWorld(await open());
  await account.once({ key: 'k', requestHash: 'h1', work: async () => 1 });
  const second = await account.once({
    key: 'k',
    requestHash: 'h2',
    work: () => assert.fail('must not run'),
  });
  assert.deepEqual(second, { outcome: 'key_reused' });
});

onBoth('a work that fails leaves neither effect nor key', async ({ open }) => {
  const { account } = await createWorld(await open());
  const failing = account.once({
    key: 'k',
    requestHash: 'h',
    work: async (queries) => {
      await createToken(queries, 'never');
      throw new RangeError('no');
    },
  });
  await assert.rejects(failing, RangeError);
  assert.deepEqual(await tokenLabels(account), []);
  const again = await account.once({ key: 'k', requestHash: 'h', work: async () => 'now' });
  assert.deepEqual(again, { outcome: 'done', result: 'now' });
});

onBoth('after 24 hours the key is free again', async ({ open, clock }) => {
  const { account } = await createWorld(await open());
  const send = () => account.once({ key: 'k', requestHash: 'h', work: async () => 'x' });
  await send();
  clock.advance(dayMs - 60_000);
  assert.equal((await send()).outcome, 'repeated');
  clock.advance(120_000);
  assert.equal((await send()).outcome, 'done');
});

onBoth('of many at once, over several connections, one does it', async ({ open }) => {
  const stores = [await open(), await open(), await open()];
  const { account } = await createWorld(stores[0]!);
  const outcomes = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      stores[index % 3]!.forAccount(account.accountId).once({
        key: 'race',
        requestHash: 'h',
        work: async (queries) => {
          await writeNumber(queries, index);
          return { winner: index };
        },
      }),
    ),
  );
  assert.equal(outcomes.filter(({ outcome }) => outcome === 'done').length, 1);
  assert.equal(
    new Set(outcomes.map((each) => JSON.stringify('result' in each && each.result))).size,
    1,
  );
  assert.equal((await readNumbers(stores[0]!, account.accountId)).numbers.length, 1);
});
