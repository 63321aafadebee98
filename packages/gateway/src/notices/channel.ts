/*
 * A channel: a way to tell a person something outside of the gateway. A new one is a file in channels/ and a line in open-notices.ts.
 */
import type { NoticeClass, PushDevice } from '@clawdfather/store';

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
  /* Of a push. */
  readonly to?: PushDevice | undefined;
}

export type SendOutcome =
  | { readonly outcome: 'sent' }
  /* It would be refused again. */
  | {
      readonly outcome: 'refused';
      readonly reason: string;
      /* Of the answer, if there was one. */
      readonly status?: number | undefined;
    }
  /* There is nothing left to send it to. */
  | { readonly outcome: 'dropped'; readonly reason: string }
  | { readonly outcome: 'again'; readonly reason: string; readonly afterMs?: number | undefined };

/* `learned` writes down what an answer says of the place that it was sent to. It is for later: it never rejects, and no outcome waits for it. */
export type Sent = SendOutcome & { readonly learned?: (() => Promise<void>) | undefined };

export interface NoticeChannel {
  readonly name: string;
  /* What it throws is no outcome: it is tried again. */
  send(message: NoticeMessage, signal: AbortSignal): Promise<Sent>;
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
