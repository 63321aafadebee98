/*
 * Deliveries of notices on both databases, as senders take them: how often, and for how long.
 */
import assert from 'node:assert/strict';
import { parseAccountId, type Store } from '@clawdfather/store';
import type { TakeInput } from '../../src/system/notices.ts';
import { onBoth } from '../backends.ts';
import { audit } from '../world.ts';

const bounds = { attemptsMax: 3, ageMsMax: 86_400_000, limit: 8 };
const take: Omit<TakeInput, 'sender'> = {
  channels: ['webhook'],
  holdMs: 60_000,
  pauseMsMax: 900_000,
  ...bounds,
};

async function tell(store: Store, key: string) {
  const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const { notices } = store.forAccount(parseAccountId(owner.id));
  await notices.tell({ notices: [{ class: 'approval', key, subjectId: key }] });
  await store.system.notices.plan({ channels: ['webhook'], ageMsMax: 86_400_000, limit: 9 });
  return async () => {
    const { items } = await notices.list({ limit: 9 });
    return items.flatMap(({ deliveries }) =>
      deliveries.map(({ state, attempts, reason }) => `${state} ${attempts} ${reason}`),
    );
  };
}

onBoth('ND6: what no sender lived to settle is taken so often and no more', async ({ open }) => {
  const store = await open();
  const deliveries = await tell(store, 'a');
  const { notices } = store.system;
  const takenBy = async (generation: number) => {
    const sender = { instanceId: 'gateway-a', generation };
    return (await notices.take({ ...take, sender })).map(({ attempt }) => attempt);
  };
  for (const generation of [1, 2, 3]) assert.deepEqual(await takenBy(generation), [generation]);
  assert.deepEqual(await takenBy(4), []);
  assert.deepEqual(await deliveries(), ['failed 3 no outcome']);
  assert.equal(await notices.isWaiting(), false);
});

onBoth('ND6: what is too old is not taken, tried before or not', async ({ open, clock }) => {
  const store = await open();
  const sender = { instanceId: 'gateway-a', generation: 1 };
  const { notices } = store.system;
  await tell(store, 'tried');
  assert.equal((await notices.take({ ...take, sender })).length, 1);
  const deliveries = await tell(store, 'put off');
  clock.advance(bounds.ageMsMax + 1);
  assert.deepEqual(await notices.take({ ...take, sender }), []);
  assert.deepEqual((await deliveries()).toSorted(), ['failed 1 old', 'skipped 0 old']);
});

onBoth(
  'ND7: of pushes so many are taken for a service and for an account, whatever else is due',
  async ({ open }) => {
    const store = await open();
    const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
    const mine = store.forAccount(parseAccountId(owner.id));
    const services = ['https://one.example/', 'https://one.example.org/'];
    for (let n = 0; n < 12; n += 1) {
      const made = { tokenHash: `hash-${n}`, device: 'phone', audit };
      const { id: deviceId } = await mine.devices.create(made);
      const classes = { approval: true, question: true, done: true, failed: true, host_lost: true };
      await mine.push.put({
        deviceId,
        keyId: 'k',
        endpoint: `${n < 9 ? services[0] : services[1]}push/${n}`,
        p256dh: 'p',
        auth: 'a',
        classes: {},
        usualClasses: classes,
        audit,
      });
    }
    await tell(store, 'a');
    const sender = { instanceId: 'gateway-a', generation: 1 };
    const underWay: Awaited<ReturnType<typeof store.system.notices.take>>[number][] = [];
    const takeMore = async (perServiceMax: number, perAccountMax: number) => {
      for (;;) {
        const shares = { underWay, perServiceMax, perAccountMax };
        const input = { ...take, channels: ['push'], limit: 4, sender, shares };
        const taken = await store.system.notices.take(input);
        if (taken.length === 0) break;
        underWay.push(...taken);
      }
      return services.map((name) => underWay.filter(({ service }) => service === name).length);
    };
    assert.deepEqual(await takeMore(2, 3).then((counts) => counts.reduce((a, b) => a + b)), 3);
    assert.deepEqual(await takeMore(2, 9), [2, 2]);
    assert.deepEqual(await takeMore(2, 9), [2, 2]);
    // One of each has ended.
    for (const name of services) {
      underWay.splice(
        underWay.findIndex(({ service }) => service === name),
        1,
      );
    }
    assert.deepEqual(await takeMore(2, 9), [2, 2]);
    // What goes to a channel of the settings is no push.
    const shares = { underWay, perServiceMax: 0, perAccountMax: 0 };
    assert.equal((await store.system.notices.take({ ...take, sender, shares })).length, 1);
  },
);
