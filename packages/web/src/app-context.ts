/*
 * What every screen is handed: the client of the gateway, the clock, and the state that they share.
 */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Clock, Random } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import type { Feed } from './state/feed.ts';
import type { Membership } from './state/membership.ts';

export interface AppParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly membership: Membership;
  readonly feed: Feed;
}

export const AppContext = createContext<AppParts | undefined>(undefined);

export function useApp(): AppParts {
  const parts = useContext(AppContext);
  if (parts === undefined) throw new Error('a screen is shown outside of the app');
  return parts;
}
