/*
 * The names of this account's devices, asked for when something was decided by one.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { type AppParts, useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { formatAgo } from '../text/time-words.ts';
import { whoWords } from './who-words.ts';

export interface DeviceNames {
  /* Who that is, in words. Redraws who asks in a drawing, once it is known better. */
  readonly who: (actor: string | null) => string;
  readonly refresh: () => Promise<void>;
}

export function createDeviceNames(app: AppParts): DeviceNames {
  const devices = createResource(
    app,
    async () => {
      const { items } = await app.client.auth.devices({ query: { limit: 100 } });
      return items.map(({ id, device, is_current }) => ({ id, device, is_current }));
    },
    { key: 'device-names-1' },
  );
  return {
    who: (actor) => {
      const known = devices.value.value;
      const isOld = known === undefined || devices.isKept.value;
      const isKnown = known?.some(({ id }) => actor === `device:${id}`) === true;
      // Until the names are here: it may be a device that came since they were kept.
      if (isOld && !isKnown && actor?.startsWith('device:') === true) return 'you';
      return whoWords(actor, known ?? []);
    },
    refresh: () => devices.refresh(),
  };
}

export function useWho(isNeeded: boolean): DeviceNames['who'] {
  const app = useApp();
  const names = useMemo(() => createDeviceNames(app), [app]);
  useEffect(() => {
    if (isNeeded) void names.refresh();
  }, [names, isNeeded]);
  return names.who;
}

export function formatWhen(at: string | null, nowMs: number): string {
  return at === null ? 'at an unknown time' : formatAgo(Date.parse(at), nowMs);
}
