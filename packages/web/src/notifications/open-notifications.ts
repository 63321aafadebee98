/*
 * Joins what notifications need while the app is open: the check at each start, what a tap leads to, the badge, and whether somebody looks.
 */
import { computed, effect, type ReadonlySignal } from '@preact/signals';
import type { Clock, Random } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import type { Feed } from '../state/feed.ts';
import type { Membership } from '../state/membership.ts';
import type { DeviceStorage } from '../storage/device-storage.ts';
import { type DevicePush, openDevicePush } from './device-push.ts';
import { followNotifications } from './follow-notifications.ts';
import { keepBadge } from './keep-badge.ts';
import type { TabLine } from './other-tabs.ts';

export interface NotificationDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly page: Window & typeof globalThis;
  readonly storage: DeviceStorage;
  readonly membership: Membership;
  readonly feed: Feed;
  readonly go: (path: string) => void;
}

export function openNotifications(deps: NotificationDeps): DevicePush {
  const { client, clock, page, membership, feed } = deps;
  const push = openDevicePush({ client, page });
  const isIn = computed(() => {
    const { value } = membership.standing;
    return value.kind === 'in' && value.isProven;
  });
  effect(() => {
    if (isIn.value) void push.checkAtStart();
  });
  followNotifications(deps);
  keepBadge({ client, clock, feed, navigator: page.navigator });
  const isWanted = computed(() => isIn.value && push.standing.value === 'working');
  let isReporting = false;
  effect(() => {
    if (!isWanted.value || isReporting) return;
    isReporting = true;
    startReporting(deps, isWanted).catch(() => {
      // Its file cannot be loaded just now; until it can, this device is pushed to although it is looked at.
      isReporting = false;
    });
  });
  return push;
}

/* Only a device that is pushed to has to say whether it is looked at, so this comes when it is wanted. */
async function startReporting(
  deps: NotificationDeps,
  isWanted: ReadonlySignal<boolean>,
): Promise<void> {
  const [{ reportPresence }, { openOtherTabs }] = await Promise.all([
    import('./report-presence.ts'),
    import('./other-tabs.ts'),
  ]);
  const { client, clock, page } = deps;
  const others = openOtherTabs(lineOf(page), deps);
  reportPresence({ client, clock, document: page.document, others, isWanted });
}

/* Old browsers and some private windows have none: then each tab speaks for itself. */
function lineOf({
  BroadcastChannel: Channel,
}: Partial<Window & typeof globalThis>): TabLine | undefined {
  return Channel === undefined ? undefined : new Channel('clawdfather-looked-at');
}
