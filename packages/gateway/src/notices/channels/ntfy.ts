/*
 * Notices to a topic of an ntfy server. ntfy from 2.16 on takes a second message with the same sequence id for a change of the first.
 */
import { type NoticeChannel, type NoticeMessage, sentences } from '../channel.ts';
import { type PostDeps, postMessage } from '../post-message.ts';

export interface NtfyConfig {
  /* Of the server, such as `https://ntfy.sh`. */
  readonly url: string;
  readonly topic: string;
  readonly token?: string | undefined;
  /* What is opened by a tap. */
  readonly clickUrl?: string | undefined;
}

export function createNtfy(config: NtfyConfig, deps: PostDeps): NoticeChannel {
  const { url, token } = config;
  return {
    name: 'ntfy',
    send: (message, signal) => {
      const headers = {
        'idempotency-key': message.deliveryId,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      return postMessage(
        deps,
        { url, headers, body: JSON.stringify(bodyOf(config, message)) },
        signal,
      );
    },
  };
}

/* As ntfy counts them: 3 is usual, 4 makes more noise. */
const priorities: Readonly<Record<NoticeMessage['class'], number>> = {
  approval: 4,
  question: 4,
  failed: 4,
  host_lost: 3,
  done: 3,
  test: 3,
};

function bodyOf({ topic, clickUrl }: NtfyConfig, message: NoticeMessage) {
  const { openCount, threadTitle } = message;
  const more = openCount > 1 ? ` (${openCount} need you)` : '';
  return {
    topic,
    title: 'Clawdfather',
    message: `${sentences[message.class]}${threadTitle === undefined ? '' : `: ${threadTitle}`}${more}`,
    priority: priorities[message.class],
    tags: [message.class],
    sequence_id: message.deliveryId,
    ...(clickUrl === undefined ? {} : { click: clickUrl }),
  };
}
