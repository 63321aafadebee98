/*
 * A channel: a way to tell a person something outside of the gateway. A new one is a file in channels/ and a line in open-notices.ts.
 */
import type { NoticeClass } from '@clawdfather/store';

export interface NoticeMessage {
  /* The same for every attempt to send this notice on this channel. */
  readonly deliveryId: string;
  readonly noticeId: string;
  /* `test`: somebody tries whether it arrives. */
  readonly class: NoticeClass | 'test';
  readonly threadId?: string | undefined;
  /* Only where the settings say so. */
  readonly threadTitle?: string | undefined;
  /* The ask, approval, turn or connection. */
  readonly about: string;
  readonly createdAtMs: number;
  /* How much needs the person now. */
  readonly openCount: number;
}

export type SendOutcome =
  | { readonly outcome: 'sent' }
  /* It would be refused again. */
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'again'; readonly reason: string; readonly afterMs?: number | undefined };

export interface NoticeChannel {
  readonly name: string;
  /* Takes at most `sendMs`; never rejects but for the signal. */
  send(message: NoticeMessage, signal: AbortSignal): Promise<SendOutcome>;
}

/* What a notice says where nothing else may be said. */
export const sentences: Readonly<Record<NoticeMessage['class'], string>> = {
  approval: 'An approval is needed',
  question: 'An agent has a question',
  done: 'An agent is done',
  failed: 'A turn has failed',
  host_lost: 'The connection to a host was lost',
  test: 'This is a test',
};
