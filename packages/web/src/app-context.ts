/*
 * What every screen is handed: the client of the gateway, the clock, and the state that they share.
 */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Clock, Random } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import type { DeviceOutbox } from './outbox/outbox.ts';
import type { Updates } from './shell/updates.ts';
import type { DevicePush } from './notifications/device-push.ts';
import type { Connection } from './state/connection.ts';
import type { Feed } from './state/feed.ts';
import type { GatewayTime } from './state/gateway-time.ts';
import type { Membership } from './state/membership.ts';
import type { Preferences } from './state/preferences.ts';
import type { Visits } from './state/visits.ts';
import type { DeviceStorage } from './storage/device-storage.ts';

export interface AppParts {
  readonly client: Client;
  /* The device's own. */
  readonly clock: Clock;
  /* What times of the gateway are compared with. */
  readonly gatewayTime: Pick<GatewayTime, 'nowMs'>;
  readonly random: Random;
  readonly membership: Membership;
  readonly connection: Connection;
  readonly feed: Feed;
  readonly storage: DeviceStorage;
  readonly outbox: DeviceOutbox;
  readonly preferences: Preferences;
  readonly push: DevicePush;
  readonly updates: Updates;
  readonly visits: Visits;
}

export const AppContext = createContext<AppParts | undefined>(undefined);

export function useApp(): AppParts {
  const parts = useContext(AppContext);
  if (parts === undefined) throw new Error('a screen is shown outside of the app');
  return parts;
}
