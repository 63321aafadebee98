/*
 * Pushes to devices: a channel whose every message goes to one subscription.
 *
 * What a push service answers also says something about the subscription: gone (404, 410) removes it, and the reason of a refusal is kept
 * for the person who looks at their devices. That is written when the outcome is: a database that fails in between would have the push sent
 * again.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { PushDevice, PushSubscription, PushTarget, Store } from '@clawdfather/store';
import type { NoticeChannel, NoticeMessage, SendOutcome } from '../../channel.ts';
import { type PostDeps, postMessage } from '../../post-message.ts';
import {
  encryptMessage,
  messageBytesMax,
  newIngredients,
  parseBrowserKeys,
} from './encrypt-message.ts';
import type { CurrentPushKey, PushKeys } from './push-key.ts';
import { formatPayload, pushHeadersOf } from './push-payload.ts';
import type { PushServices } from './push-services.ts';
import { formatVapid } from './vapid.ts';

export interface PushDeps extends PostDeps {
  readonly store: Store;
  readonly keys: PushKeys;
  readonly services: PushServices;
  /* How to reach whoever runs this gateway. */
  readonly subject: string;
  /* Where the app is. */
  readonly baseUrl: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/* The device is not pushed to any more, or the address is not in the list any more. */
const gone: readonly number[] = [404, 410];

export function createPush(deps: PushDeps): NoticeChannel {
  const { store } = deps;
  return {
    name: 'push',
    send: async (message, signal) => {
      const device = message.to;
      if (device === undefined) return { outcome: 'dropped', reason: 'no device' };
      const subscription = await store.system.push.subscriptionOf(device);
      if (subscription === undefined) return { outcome: 'dropped', reason: 'unsubscribed' };
      const outcome = await post(deps, { message, subscription }, signal);
      const target = { ...device, id: subscription.id };
      return { ...outcome, learned: () => note(deps, target, outcome) };
    },
  };
}

interface Push {
  readonly message: NoticeMessage;
  readonly subscription: PushSubscription;
}

async function post(
  deps: PushDeps,
  { message, subscription }: Push,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const key = await deps.keys.current();
  // The service would refuse it: the browser has subscribed with another key.
  if (subscription.keyId !== key.id) return { outcome: 'refused', reason: 'the key has changed' };
  // The settings may have changed since it was let in.
  const url = deps.services.parse(subscription.endpoint);
  if (url === undefined) return { outcome: 'refused', reason: 'the address is not allowed' };
  const body = seal(deps, { message, subscription });
  if (body === undefined) return { outcome: 'refused', reason: 'the keys are no keys' };
  const headers = { ...pushHeadersOf(message), ...authorise(deps, key, url) };
  return await postMessage(deps, { url: url.href, headers, body }, signal);
}

function seal({ random, baseUrl }: PushDeps, { message, subscription }: Push) {
  const keys = parseBrowserKeys(subscription);
  if (keys === undefined) return undefined;
  const text = formatPayload(message, baseUrl());
  return encryptMessage(text, keys, { ...newIngredients(random), paddedBytes: messageBytesMax });
}

function authorise({ subject, clock }: PushDeps, key: CurrentPushKey, { origin }: URL) {
  return {
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    authorization: formatVapid(key, { audience: origin, subject, nowMs: clock.wallMs() }),
  };
}

/* Never rejects: the next answer of the service says the same again. */
async function note({ store, log }: PushDeps, target: PushTarget, outcome: SendOutcome) {
  const { push } = store.system;
  try {
    if (outcome.outcome === 'sent') return await push.noteSent(target);
    const { reason } = outcome;
    if (outcome.outcome !== 'refused' || !gone.includes(outcome.status ?? 0)) {
      return await push.noteFailure({ ...target, reason });
    }
    log.event('push.gone', whichDevice(target));
    return await push.forget(target);
  } catch (error) {
    log.warn('push.unnoted', { ...whichDevice(target), error });
  }
}

function whichDevice({ accountId, deviceId }: PushDevice) {
  return { account_id: accountId, deviceId };
}
