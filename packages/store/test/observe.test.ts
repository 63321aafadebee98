/*
 * Every statement is told to whoever traces, in the context of the call that caused it.
 */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { openStore, type QueryObservation } from '@clawdfather/store';
import { onBoth } from './backends.ts';
import { audit, createAccount } from './world.ts';

onBoth(
  'statements are observed by table and operation, in their own context',
  async ({ location }) => {
    const trace = new AsyncLocalStorage<string>();
    const seen: (QueryObservation & { readonly trace: string | undefined })[] = [];
    await using store = await openStore(location, {
      clock: createSystemClock(),
      random: createSystemRandom(),
      onQuery: (observation) => seen.push({ ...observation, trace: trace.getStore() }),
    });
    const account = await createAccount(store, 'ann');
    seen.length = 0;
    await Promise.all(
      ['one', 'two'].map((name) =>
        trace.run(name, async () => {
          await account.profile.get();
          await account.apiTokens.create({ tokenHash: name, label: name, scopes: ['read'], audit });
        }),
      ),
    );
    for (const name of ['one', 'two']) {
      const own = seen.filter((each) => each.trace === name && each.isDone);
      const told = new Set(own.map(({ operation, table }) => `${operation} ${table}`));
      assert.deepEqual(
        told,
        new Set(['select accounts', 'insert api_tokens', 'insert audit_heads', 'insert audit_log']),
      );
      assert.ok(own.every(({ durationMs }) => durationMs >= 0));
    }
    assert.deepEqual(
      seen.filter((each) => each.trace === undefined),
      [],
    );
  },
);
