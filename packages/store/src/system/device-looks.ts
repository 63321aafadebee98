/*
 * Whether a device is pushed to while somebody looks at it: not now, and not at all when they have looked for long enough.
 *
 * A page shows what is new as it happens, so a push would only ring beside it. But the device may be put away a moment later, and a page that was
 * put to sleep still counts as looked at for a while. So the push waits until nobody looks, and then:
 *
 * - what waits for an answer (an approval, a question) is pushed if it still waits;
 * - what only wants to be seen is pushed if the person had less than `lookedMs` to see it. Otherwise whoever puts a phone away would be told of
 *   everything that ended while they used it.
 *
 * What was seen on any device is not pushed any more.
 */
import { lookedMs, visibleMs } from '../limits.ts';
import type { NoticeClass } from '../schema/feed-tables.ts';

export interface PushFacts {
  readonly class: NoticeClass;
  readonly createdAtMs: number;
  readonly seenAtMs?: number | undefined;
  readonly visibleUntilMs?: number | undefined;
}

export type WhetherToPush =
  | { readonly push: 'now' }
  | { readonly push: 'later'; readonly reason: string; readonly dueAtMs: number }
  | { readonly push: 'never'; readonly reason: string };

const waitingForAnswer: readonly NoticeClass[] = ['approval', 'question'];

export function whetherToPush(facts: PushFacts, nowMs: number): WhetherToPush {
  const { visibleUntilMs = 0, createdAtMs } = facts;
  if (facts.seenAtMs !== undefined) return { push: 'never', reason: 'seen' };
  // What is further away was written under another clock.
  const isLookedAt = visibleUntilMs > nowMs && visibleUntilMs <= nowMs + visibleMs;
  if (!isLookedAt) return { push: 'now' };
  const reason = 'looked at';
  if (waitingForAnswer.includes(facts.class)) {
    return { push: 'later', reason, dueAtMs: visibleUntilMs };
  }
  const enoughAtMs = createdAtMs + lookedMs;
  if (nowMs >= enoughAtMs) return { push: 'never', reason };
  return { push: 'later', reason, dueAtMs: Math.min(visibleUntilMs, enoughAtMs) };
}
