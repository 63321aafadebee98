/*
 * Push over HTTP: a device subscribes, chooses, tries it and says whether somebody looks at it. Each of these is about the device that asks.
 */
import type { Clock, Random } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { PushClasses, PushDevice, PushSubscription, Store } from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import { formatTime } from '../http/format-time.ts';
import { auditOf, type Handlers } from '../http/handlers.ts';
import { parseBrowserKeys } from '../notices/channels/push/encrypt-message.ts';
import type { PushParts } from '../notices/push-parts.ts';
import { notificationsOf } from './settings.ts';

export interface PushRouteParts {
  readonly store: Store;
  readonly push: PushParts;
  readonly clock: Clock;
  readonly random: Random;
}

/* Twice before it would end, and some. */
const sayAgainMs = 30_000;

export function createPushHandlers(parts: PushRouteParts): Handlers<Api['push']> {
  const { store, push } = parts;
  return {
    get: async ({ caller }) => {
      const key = await push.keys.current();
      const mine = await store.forAccount(caller.accountId).push.get(caller.id);
      return {
        key_id: key.id,
        public_key: key.publicKey,
        subscription: mine === undefined ? null : showSubscription(mine),
      };
    },
    subscribe: async (call) => {
      const { caller, body } = call;
      const url = push.services.parse(body.endpoint);
      if (url === undefined) throw new ApiError('push_endpoint_refused');
      if (parseBrowserKeys(body.keys) === undefined) {
        throw new ApiError('validation_error', 'keys: are not those of a browser');
      }
      if (body.key_id !== (await push.keys.current()).id) throw new ApiError('push_key_changed');
      const mine = store.forAccount(caller.accountId);
      const saved = await mine.push.put({
        deviceId: caller.id,
        keyId: body.key_id,
        endpoint: url.href,
        ...body.keys,
        classes: chosen(body.classes),
        usualClasses: notificationsOf(await mine.settings.get()),
        // The address is as good as a password for the browser; its service says enough.
        audit: auditOf(call, 'push.subscribe', { service: url.host }),
      });
      // It was signed out a moment ago.
      if (saved === undefined) throw new ApiError('unauthorized');
      return showSubscription(saved);
    },
    update: async (call) => {
      const { caller, body } = call;
      const classes = chosen(body.classes);
      const changed = await store.forAccount(caller.accountId).push.choose({
        deviceId: caller.id,
        classes,
        audit: auditOf(call, 'push.update', { ...classes }),
      });
      if (changed === undefined) throw notFound();
      return showSubscription(changed);
    },
    unsubscribe: async (call) => {
      const { caller } = call;
      const audit = auditOf(call, 'push.unsubscribe');
      await store.forAccount(caller.accountId).push.remove({ deviceId: caller.id, audit });
      return undefined;
    },
    test: async ({ caller, signal }) => {
      const to = { accountId: caller.accountId, deviceId: caller.id };
      if ((await store.system.push.subscriptionOf(to)) === undefined) throw notFound();
      return await sendTest(parts, to, signal);
    },
  };
}

async function sendTest(
  { push, clock, random }: PushRouteParts,
  to: PushDevice,
  signal: AbortSignal,
): Promise<AnswerOf<Api['push']['test']>> {
  const id = random.id();
  const about = { deliveryId: id, noticeId: id, about: id, class: 'test' } as const;
  const sinceMs = clock.monotonicMs();
  const message = { ...about, createdAtMs: clock.wallMs(), openCount: 0, to };
  const sent = await push.channel.send(message, signal);
  await sent.learned?.();
  return {
    outcome: sent.outcome === 'sent' ? 'sent' : 'failed',
    reason: sent.outcome === 'sent' ? null : sent.reason,
    duration_ms: Math.round(clock.monotonicMs() - sinceMs),
  };
}

export function createPresenceHandlers({
  store,
}: {
  readonly store: Store;
}): Handlers<Api['presence']> {
  return {
    report: async ({ caller, body }) => {
      const { presence } = store.forAccount(caller.accountId);
      const isVisible = body.state === 'visible';
      const untilMs = await presence.report({ deviceId: caller.id, isVisible });
      return { visible_until: formatTime(untilMs), again_after_ms: sayAgainMs };
    },
  };
}

/* Only what is named. */
function chosen(classes: Record<string, boolean | undefined> = {}): Partial<PushClasses> {
  return Object.fromEntries(Object.entries(classes).filter(([, value]) => value !== undefined));
}

export function showPushState(subscription: PushSubscription) {
  const { classes, createdAtMs, sentAtMs, failure, failedAtMs } = subscription;
  return {
    classes,
    created_at: formatTime(createdAtMs),
    sent_at: formatTime(sentAtMs),
    failure: failure ?? null,
    failed_at: formatTime(failedAtMs),
  };
}

function showSubscription(subscription: PushSubscription): AnswerOf<Api['push']['update']> {
  const { keyId, endpoint } = subscription;
  return { ...showPushState(subscription), key_id: keyId, endpoint };
}
