/*
 * The time, told again every so often while something on the screen counts: as the gateway tells it, or the monotonic one, which no one sets.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';

export function useNow(everyMs: number, of: 'gateway' | 'monotonic' = 'gateway'): number {
  const { clock, gatewayTime } = useApp();
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = clock.timer(everyMs, () => setTick((count) => count + 1));
    return () => timer.cancel();
  }, [clock, everyMs, tick]);
  // At every drawing: an answer may just have said what the time is.
  return of === 'gateway' ? gatewayTime.nowMs() : clock.monotonicMs();
}
