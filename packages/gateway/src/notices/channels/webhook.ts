/*
 * Notices to a server of the operator's, signed as https://www.standardwebhooks.com has it: HMAC-SHA256 over the id, the time and the body, so
 * that a receiver can tell it from a forgery and from a replay. The id is the same for every attempt.
 */
import { createHmac } from 'node:crypto';
import { formatTime } from '../../http/format-time.ts';
import type { NoticeChannel, NoticeMessage } from '../channel.ts';
import { type PostDeps, postMessage } from '../post-message.ts';

export interface WebhookConfig {
  readonly url: string;
  /* `whsec_` and base64, or any text. */
  readonly secret: string;
}

export function createWebhook({ url, secret }: WebhookConfig, deps: PostDeps): NoticeChannel {
  const key = keyOf(secret);
  return {
    name: 'webhook',
    send: (message, signal) => {
      const { deliveryId } = message;
      const body = JSON.stringify(bodyOf(message));
      const timestamp = Math.floor(deps.clock.wallMs() / 1_000);
      const headers = {
        'webhook-id': deliveryId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signatureOf(key, `${deliveryId}.${timestamp}.${body}`)}`,
        'idempotency-key': deliveryId,
      };
      return postMessage(deps, { url, headers, body }, signal);
    },
  };
}

const base64Prefix = 'whsec_';

function keyOf(secret: string): Buffer {
  return secret.startsWith(base64Prefix)
    ? Buffer.from(secret.slice(base64Prefix.length), 'base64')
    : Buffer.from(secret);
}

function signatureOf(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}

function bodyOf(message: NoticeMessage) {
  const { threadId, threadTitle } = message;
  return {
    type: `notice.${message.class}`,
    timestamp: formatTime(message.createdAtMs),
    data: {
      notice_id: message.noticeId,
      class: message.class,
      about: message.about,
      thread_id: threadId ?? null,
      ...(threadTitle === undefined ? {} : { thread_title: threadTitle }),
      needs_you: message.openCount,
    },
  };
}
