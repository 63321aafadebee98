/*
 * A control database with devices that have subscribed at a push service on the loopback, and senders over it, without a gateway around them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createMasterKms, type Kms } from '@clawdfather/ssh';
import {
  type AccountId,
  type NoticeClass,
  openStore,
  type PushSubscription,
  parseAccountId,
  type Store,
  type StoreLocation,
} from '@clawdfather/store';
import { openPushService, type PushService } from '@clawdfather/testkit';
import { openNoticeSender, type SenderPoint } from '../../../src/notices/notice-sender.ts';
import { createPushParts, type PushParts } from '../../../src/notices/push-parts.ts';

export const audit = { action: 'test', actor: 'test' };
const usualClasses = { approval: true, question: true, done: true, failed: true, host_lost: true };
export const publicUrl = 'https://clawd.example.org';

export interface PushRig extends AsyncDisposable {
  readonly store: Store;
  readonly location: StoreLocation;
  readonly service: PushService;
  readonly push: PushParts;
  readonly ownerId: AccountId;
  readonly clock: Clock;
  /* From here on the clock says so much more. */
  later(ms: number): void;
  /* A signed-in device that has subscribed, usually at `service`; its id. */
  subscribe(
    accountId?: AccountId,
    classes?: Partial<typeof usualClasses>,
    at?: PushService,
  ): Promise<string>;
  notice(input: { class: NoticeClass; id: string; threadId?: string }): Promise<void>;
  deliveries(accountId?: AccountId): Promise<readonly Delivered[]>;
  untilSettled(count: number, accountId?: AccountId): Promise<void>;
  /* What an answer says of a device is written after its outcome. */
  untilSubscription(
    deviceId: string,
    isSo: (subscription: PushSubscription | undefined) => boolean,
  ): Promise<PushSubscription | undefined>;
  /* Wakes the senders, as every event of the account does. */
  wake(): Promise<void>;
}

export interface Delivered {
  readonly class: NoticeClass;
  readonly deviceId?: string | undefined;
  readonly state: string;
  readonly attempts: number;
  readonly reason?: string | undefined;
}

export async function openPushRig(at?: StoreLocation): Promise<PushRig> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-push-'));
  const location = at ?? { kind: 'sqlite' as const, path: join(directory, 'control.db') };
  const system = createSystemClock();
  let offsetMs = 0;
  const clock: Clock = { ...system, wallMs: () => system.wallMs() + offsetMs };
  const random = createSystemRandom();
  const store = await openStore(location, { clock, random });
  const service = await openPushService();
  const push = pushOver(store, service, { clock: system });
  const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const ownerId = parseAccountId(owner.id);
  let devices = 0;
  const deliveries = async (accountId = ownerId): Promise<readonly Delivered[]> => {
    const { items } = await store.forAccount(accountId).notices.list({ limit: 100 });
    return items.flatMap((notice) =>
      notice.deliveries.map((one) => ({ ...one, class: notice.class })),
    );
  };
  return {
    store,
    location,
    service,
    push,
    ownerId,
    clock,
    later: (ms) => {
      offsetMs += ms;
    },
    subscribe: async (accountId = ownerId, classes = {}, at = service) => {
      devices += 1;
      const mine = store.forAccount(accountId);
      const made = { tokenHash: `hash-${devices}-${accountId}`, device: 'phone', audit };
      const { id: deviceId } = await mine.devices.create(made);
      const key = await push.keys.current();
      const { endpoint, keys } = at.subscribe(key.publicKey);
      const subscription = { deviceId, keyId: key.id, endpoint, ...keys };
      await mine.push.put({ ...subscription, classes, usualClasses, audit });
      return deviceId;
    },
    notice: ({ class: noticeClass, id, threadId }) =>
      store.forAccount(ownerId).notices.tell({
        notices: [{ class: noticeClass, key: `key:${id}`, subjectId: id, threadId }],
      }),
    deliveries,
    untilSettled: async (count, accountId) => {
      for (;;) {
        const over = (await deliveries(accountId)).filter(
          ({ state }) => !['pending', 'sending'].includes(state),
        );
        if (over.length >= count) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    untilSubscription: async (deviceId, isSo) => {
      for (;;) {
        const subscription = await store.forAccount(ownerId).push.get(deviceId);
        if (isSo(subscription)) return subscription;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    wake: () =>
      store
        .forAccount(ownerId)
        .notices.tell({ events: [{ type: 'device_removed', subjectId: 'd' }] }),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const oneKey = createMasterKms(
  [{ id: '0'.repeat(16), bytes: Buffer.alloc(32, 3) }],
  createSystemRandom(),
);

/* What a gateway on this database makes; all of them have the same master key. */
export function pushOver(
  store: Store,
  { origin }: Pick<PushService, 'origin'>,
  {
    clock = createSystemClock(),
    kms = oneKey,
    acceptsLostKeys = false,
    others = [],
  }: {
    clock?: Clock;
    kms?: Kms;
    acceptsLostKeys?: boolean;
    others?: readonly Pick<PushService, 'origin'>[];
  } = {},
): PushParts {
  const random = createSystemRandom();
  const services = [origin, ...others.map((other) => other.origin)];
  return createPushParts({
    config: { publicUrl, acceptsLostKeys, notify: { push: { services } } },
    store,
    kms,
    baseUrl: () => publicUrl,
    clock,
    random,
    log: silentLog,
  });
}

export function openSender(
  { store, push, clock }: Pick<PushRig, 'store' | 'push' | 'clock'>,
  { instanceId = 'gateway-a', generation = 1, onPoint = (_point: SenderPoint): void => {} } = {},
): AsyncDisposable {
  return openNoticeSender({
    store,
    channels: [push.channel],
    sender: { instanceId, generation },
    showsTitles: true,
    clock,
    random: createSystemRandom(),
    log: silentLog,
    onPoint,
  });
}
