/*
 * A resource of a screen: made once for its key, kept on the device under it, and read again when something of its kind happens in the account.
 */
import { useMemo, useRef } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { useRefreshOn } from '../state/feed.ts';
import { createResource, type Resource } from './resource.ts';

/* `on`: the beginnings of the types of events after which it is read again. */
export function useResource<Value>(
  key: string,
  load: () => Promise<Value>,
  on: readonly string[] = [],
): Resource<Value> {
  const { clock, storage, feed } = useApp();
  const latest = useRef(load);
  latest.current = load;
  const resource = useMemo(
    () => createResource({ clock, storage }, () => latest.current(), { key }),
    [clock, storage, key],
  );
  useRefreshOn(feed, on, resource);
  return resource;
}
