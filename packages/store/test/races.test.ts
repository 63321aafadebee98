/*
 * Two gateways at the same rows: one wins, the other is told, and no number is given twice.
 */
import assert from 'node:assert/strict';
import { decideOn, ownerStaleMs } from '@clawdfather/sessions';
import { onBoth } from './backends.ts';
import { isGapless, readNumbers, writeNumber } from './numbered-writes.ts';
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
        stores[index % 2]!.forAccount(account.accountId).sessions.change(
          sessionId,
          decideOn(
            { type: 'taken', by: { instanceId: `gateway-${index}`, generation: 1 } },
            { actor: 'cleanup' },
          ),
        ),
      ),
    );
    assert.equal(steps.filter(({ outcome }) => outcome === 'changed').length, 1);
    assert.equal(steps.filter(({ outcome }) => outcome === 'owner_alive').length, 11);
    const session = await account.sessions.get(sessionId);
    assert.equal(session?.epoch, 2);
    assert.equal((await account.auditLog.list({ action: 'session.adopt' })).entries.length, 1);

    const lose = (epoch: number) =>
      account.sessions.change(sessionId, decideOn({ type: 'lost', epoch }, audit));
    assert.equal((await lose(1)).outcome, 'epoch_stale');
    assert.equal(await stores[0]!.system.leases.heartbeat(owner, { ownerStaleMs }), 0);
    assert.equal((await lose(2)).outcome, 'changed');
  },
);

onBoth('numbers of the audit log have no gaps and no doubles, whoever writes', async ({ open }) => {
  const stores = [await open(), await open()];
  const { accountId } = await createAccount(stores[0]!, 'ann');
  const count = 60;
  await Promise.all(
    Array.from({ length: count }, (_, number) =>
      writeNumber(stores[number % 2]!.forAccount(accountId), number),
    ),
  );
  const { seqs, numbers } = await readNumbers(stores[0]!, accountId);
  assert.ok(isGapless(seqs));
  assert.deepEqual(
    numbers.toSorted((left, right) => left - right),
    Array.from({ length: count }, (_, number) => number),
  );
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
