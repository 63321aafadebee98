/*
 * Reads something again from time to time, while what it shows moves without an event of the account: what an agent does within its turn, what a
 * run says. Only while somebody can see it and the gateway answers.
 */
import { useEffect } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import type { Resource } from './resource.ts';

export function useRefreshWhile(
  resource: Resource<unknown>,
  isMoving: boolean,
  everyMs: number,
): void {
  const { clock, connection } = useApp();
  const { kind } = connection.state.value.link;
  const asOfMs = resource.asOfMs.value;
  const isOn = isMoving && kind === 'live';
  useEffect(() => {
    if (!isOn) return;
    const look = (): void => {
      if (document.visibilityState === 'visible') void resource.refresh();
      else timer = clock.timer(everyMs, look);
    };
    let timer = clock.timer(everyMs, look);
    return () => timer.cancel();
  }, [clock, resource, isOn, asOfMs, everyMs]);
}
