/*
 * Two gateways at the same rows: one wins, the other is told, and no number is given twice.
 */
import assert from 'node:assert/strict';
import { onBoth } from './backends.ts';
import { audit, createAccount, createWorld, owner } from './world.ts';

const staleMs = 121_000;

onBoth(
  'of many who take an orphaned lease, one gets it, and the old owner is fenced',
  async (backend) => {
    const stores = [await backend.open(), await backend.open()];
    const { account, sessionId } = await createWorld(stores[0]!);
    backend.clock.advance(staleMs);
    const steps = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        stores[index % 2]!.forAccount(account.accountId).sessions.take({
          id: sessionId,
          by: { instanceId: `gateway-${index}`, generation: 1 },
          audit: { action: 'session.take', actor: 'cleanup' },
        }),
      ),
    );
    assert.equal(steps.filter(({ outcome }) => outcome === 'changed').length, 1);
    assert.equal(steps.filter(({ outcome }) => outcome === 'owner_alive').length, 11);
    const session = await account.sessions.get(sessionId);
    assert.equal(session?.epoch, 2);
    assert.equal((await account.auditLog.list({ action: 'session.take' })).entries.length, 1);

    const close = { id: sessionId, reason: 'user', audit } as const;
    assert.equal((await account.sessions.close({ ...close, epoch: 1 })).outcome, 'epoch_stale');
    assert.equal(await stores[0]!.system.leases.heartbeat(owner), 0);
    assert.equal((await account.sessions.close({ ...close, epoch: 2 })).outcome, 'changed');
  },
);

onBoth('sequence numbers have no gaps and no doubles, whoever appends', async ({ open }) => {
  const stores = [await open(), await open()];
  const { account, threadId } = await createWorld(stores[0]!);
  const sizes = [1, 3, 9, 70, 2, 65, 1, 8, 130, 5];
  await Promise.all(
    sizes.map((size, index) =>
      stores[index % 2]!.forAccount(account.accountId).events.append({
        threadId,
        epoch: 1,
        events: Array.from({ length: size }, (_, place) => ({
          type: 'delta',
          payload: [index, place],
        })),
      }),
    ),
  );
  const events = await account.events.read({ threadId, afterSeq: 0 });
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    Array.from({ length: total }, (_, index) => index + 1),
  );
  assert.equal((await account.threads.get(threadId))?.lastSeq, total);
  for (const [index, size] of sizes.entries()) {
    const own = events.map(({ payload }) => payload as number[]).filter(([of]) => of === index);
    assert.deepEqual(
      own.map(([, place]) => place),
      Array.from({ length: size }, (_, place) => place),
    );
  }
});

onBoth('a piece of a journal is consumed once, whoever reads it', async ({ open }) => {
  const stores = [await open(), await open()];
  const { account, threadId } = await createWorld(stores[0]!);
  const append = (store: number, from: string | undefined, to: string) =>
    stores[store]!.forAccount(account.accountId).events.append({
      threadId,
      epoch: 1,
      events: [{ type: 'delta', payload: to }],
      cursor: { source: 'run-1', ...(from === undefined ? {} : { from }), to },
    });
  const first = await Promise.all([append(0, undefined, 'c1'), append(1, undefined, 'c1')]);
  assert.deepEqual(first.map(({ outcome }) => outcome).toSorted(), ['appended', 'cursor_moved']);
  assert.equal((await append(0, 'c1', 'c2')).outcome, 'appended');
  assert.deepEqual(await append(1, 'c1', 'c2'), { outcome: 'cursor_moved', cursor: 'c2' });
  assert.equal(await account.events.cursor({ threadId, source: 'run-1' }), 'c2');
  assert.equal((await account.events.read({ threadId, afterSeq: 0 })).length, 2);
});

onBoth('limits hold for those who come at once', async ({ open }) => {
  const stores = [await open(), await open()];
  const account = await createAccount(stores[0]!, 'ann');
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      stores[index % 2]!.forAccount(account.accountId).sessions.create({
        agent: 'claude',
        owner,
        openMax: 3,
        audit,
      }),
    ),
  );
  assert.equal(outcomes.filter(({ outcome }) => outcome === 'created').length, 3);
  const labels = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      stores[index % 2]!.forAccount(account.accountId).apiTokens.create({
        tokenHash: `hash-${index}`,
        label: 'same',
        scopes: ['read'],
        audit,
      }),
    ),
  );
  assert.equal(labels.filter(({ outcome }) => outcome === 'created').length, 1);
});

onBoth('there is one owner account, whoever asks first', async ({ open }) => {
  const stores = [await open(), await open()];
  const owners = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      stores[index % 2]!.system.accounts.ensureOwner({ displayName: 'me', audit }),
    ),
  );
  assert.equal(new Set(owners.map(({ id }) => id)).size, 1);
  assert.equal((await stores[0]!.system.accounts.list()).length, 1);
});

onBoth('a link and a state are good for one', async ({ open }) => {
  const stores = [await open(), await open()];
  const account = await createAccount(stores[0]!, 'ann');
  await stores[0]!.system.signIns.saveLink({ linkHash: 'l', accountId: account.accountId });
  const taken = await Promise.all(stores.map((store) => store.system.signIns.takeLink('l')));
  assert.deepEqual(
    taken.filter((id) => id !== undefined),
    [account.accountId],
  );
});

onBoth('hits are counted together', async ({ open }) => {
  const stores = [await open(), await open()];
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      stores[index % 2]!.system.rateLimits.hit({
        scope: 'login',
        subject: '192.0.2.1',
        hitsMax: 4,
        windowMs: 60_000,
      }),
    ),
  );
  assert.equal(outcomes.filter(({ isAllowed }) => isAllowed).length, 4);
});
