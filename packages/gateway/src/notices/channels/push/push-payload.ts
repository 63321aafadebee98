/*
 * What is pushed: a class, ids and a count, in the form of declarative web push, which newer browsers show by themselves and our service
 * worker reads in the others. No title of a thread, no command, no prompt: it lies on a lock screen, whatever the settings say.
 */
import type { NoticeMessage } from '../../channel.ts';

type PushClass = NoticeMessage['class'];

export const pushTitles: Readonly<Record<PushClass, string>> = {
  approval: 'An agent asks for your approval',
  question: 'An agent has a question',
  done: 'An agent is done',
  failed: 'An agent has stopped with an error',
  host_lost: 'The connection to a host was lost',
  test: 'Notifications work on this device',
};

/* Somebody waits for an answer, and a sleeping phone is to be woken for it. */
const urgent: readonly PushClass[] = ['approval', 'question', 'test'];

/* As long as a notice may be told at all. A test is for now. */
const dayS = 24 * 3_600;
const testS = 60;

export function formatPayload(message: NoticeMessage, baseUrl: string): Buffer {
  const { noticeId, about, threadId, openCount } = message;
  return Buffer.from(
    JSON.stringify({
      web_push: 8030,
      notification: {
        title: pushTitles[message.class],
        ...(openCount > 1 ? { body: `${openCount} need you` } : {}),
        lang: 'en',
        navigate: new URL(pathOf(message), baseUrl).href,
        tag: groupOf(message),
        data: {
          class: message.class,
          notice_id: noticeId,
          about,
          thread_id: threadId ?? null,
          needs_you: openCount,
        },
      },
      app_badge: openCount,
    }),
  );
}

/* RFC 8030: how long a push service keeps it, how much it may wake, and what a newer one takes the place of. */
export function pushHeadersOf(message: NoticeMessage): Readonly<Record<string, string>> {
  return {
    ttl: String(message.class === 'test' ? testS : dayS),
    urgency: urgent.includes(message.class) ? 'high' : 'normal',
    topic: groupOf(message),
  };
}

/* A second message about the same replaces the first. Of one thread, only the newest end is news. */
function groupOf({ class: noticeClass, noticeId, threadId }: NoticeMessage): string {
  return noticeClass === 'done' && threadId !== undefined ? threadId : noticeId;
}

/* Where a tap leads, in the app. */
function pathOf({ class: noticeClass, about, threadId }: NoticeMessage): string {
  const id = encodeURIComponent(about);
  switch (noticeClass) {
    case 'approval':
    case 'question':
      // Of a command, or of an agent in a thread.
      return threadId === undefined ? `/approvals/${id}` : `/asks/${id}`;
    case 'done':
    case 'failed':
      return threadId === undefined ? '/inbox' : `/threads/${encodeURIComponent(threadId)}`;
    case 'host_lost':
      return `/hosts/${id}`;
    case 'test':
      return '/notifications';
  }
}
