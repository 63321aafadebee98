/*
 * The number on the app's icon: how much needs you. The same that a push says while the app is closed.
 */
import type { Clock } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import type { Feed } from '../state/feed.ts';

export interface BadgeDeps {
  readonly client: Client;
  readonly clock: Pick<Clock, 'timer'>;
  readonly feed: Feed;
  readonly navigator: Partial<Pick<Navigator, 'setAppBadge'>>;
}

/* Several events in a row are one look. */
const gatherMs = 500;
const prefixes = ['all', 'notice', 'approval_', 'ask_', 'turn_ended', 'connection_', 'seen'];

export function keepBadge({ client, clock, feed, navigator }: BadgeDeps): void {
  if (navigator.setAppBadge === undefined) return;
  let isWaiting = false;
  const look = async (): Promise<void> => {
    isWaiting = false;
    try {
      const { counts } = await client.inbox.get({ query: { limit: 1 } });
      await navigator.setAppBadge?.(counts.needs_you);
    } catch {
      // It is counted again with the next event.
    }
  };
  feed.onEvent((type) => {
    if (isWaiting || !prefixes.some((prefix) => type.startsWith(prefix))) return;
    isWaiting = true;
    clock.timer(gatherMs, () => void look());
  });
}
