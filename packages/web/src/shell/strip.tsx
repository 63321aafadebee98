/*
 * The one line at the top that says how the connection is. Nothing while it is live, and nothing for a drop of a few seconds.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';

/* Shorter ones heal before anybody has read of them. */
const quietMs = 4_000;

export function Strip() {
  const { feed, clock } = useApp();
  const link = feed.link.value;
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    setIsLong(false);
    if (link.kind !== 'reconnecting') return;
    const timer = clock.timer(quietMs, () => setIsLong(true));
    return () => timer.cancel();
  }, [clock, link.kind]);
  if (link.kind !== 'reconnecting' || !isLong) return null;
  return (
    <div class="strip" role="status">
      The gateway does not answer. Trying again; what you see is from before.
    </div>
  );
}
