/*
 * A control database with an owner who has notices, a server that they are posted to, and senders over both, without a gateway around them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import {
  type NoticeClass,
  openStore,
  parseAccountId,
  type Store,
  type StoreLocation,
} from '@clawdfather/store';
import { createNtfy } from '../../src/notices/channels/ntfy.ts';
import { createWebhook } from '../../src/notices/channels/webhook.ts';
import { openNoticeSender, type SenderPoint } from '../../src/notices/notice-sender.ts';
import { openRecordingServer, type RecordingServer } from './recording-server.ts';

export const audit = { action: 'test', actor: 'test' };

export interface Rig extends AsyncDisposable {
  readonly store: Store;
  readonly location: StoreLocation;
  readonly server: RecordingServer;
  /* Makes so many notices; usually of a class that only wants to be seen. */
  notice(count: number, noticeClass?: NoticeClass): Promise<void>;
  deliveries(): Promise<readonly Delivered[]>;
  /* What clients that follow the account are told of: the notices, by id. */
  announced(): Promise<readonly string[]>;
  /* Until every delivery is over. */
  untilSettled(count: number): Promise<void>;
}

interface Delivered {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly reason?: string | undefined;
}

export async function openRig(
  clock: Clock = createSystemClock(),
  at?: StoreLocation,
): Promise<Rig> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-notices-'));
  const location = at ?? { kind: 'sqlite' as const, path: join(directory, 'control.db') };
  const store = await openStore(location, { clock, random: createSystemRandom() });
  const server = await openRecordingServer();
  const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const { notices, events } = store.forAccount(parseAccountId(owner.id));
  let made = 0;
  const deliveries = async () =>
    (await notices.list({ limit: 100 })).items.flatMap((notice) =>
      notice.deliveries.map((one) => ({ ...one, id: `${notice.id}-${one.channel}` })),
    );
  return {
    store,
    location,
    server,
    announced: async () =>
      (await events.list({ after: 0, limit: 100 })).flatMap(({ type, subjectId }) =>
        type === 'notice' ? [subjectId] : [],
      ),
    notice: async (count, noticeClass = 'done') => {
      for (let index = 0; index < count; index += 1) {
        made += 1;
        const subjectId = `turn-${made}`;
        await notices.tell({ notices: [{ class: noticeClass, key: `turn:${made}`, subjectId }] });
      }
    },
    deliveries,
    untilSettled: async (count) => {
      for (;;) {
        const over = (await deliveries()).filter(
          ({ state }) => !['pending', 'sending'].includes(state),
        );
        if (over.length >= count) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const channels = {
  webhook: (url: string, clock: Clock) => createWebhook({ url, secret: 's' }, { clock }),
  ntfy: (url: string, clock: Clock) => createNtfy({ url, topic: 't' }, { clock }),
};

export type ChannelName = keyof typeof channels;

interface Sending {
  readonly clock?: Clock;
  readonly channel?: ChannelName;
  readonly instanceId?: string;
  readonly generation?: number;
  readonly onPoint?: (point: SenderPoint) => void;
}

export function openSender(
  { store, server }: Pick<Rig, 'store' | 'server'>,
  {
    clock = createSystemClock(),
    channel = 'webhook',
    instanceId = 'gateway-a',
    generation = 1,
    onPoint = () => {},
  }: Sending = {},
) {
  return openNoticeSender({
    store,
    channels: [channels[channel](server.url, clock)],
    sender: { instanceId, generation },
    showsTitles: false,
    clock,
    random: createSystemRandom(),
    log: silentLog,
    onPoint,
  });
}

export async function wake(store: Store): Promise<void> {
  const { id } = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const event = { type: 'device_removed', subjectId: 'd' } as const;
  await store.forAccount(parseAccountId(id)).notices.tell({ events: [event] });
}

/* The same for each attempt to send a notice on a channel. */
export const idsOf = ({ posted }: RecordingServer) =>
  posted.map(({ headers }) => String(headers['idempotency-key']));
