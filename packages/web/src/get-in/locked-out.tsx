/*
 * After too many attempts: how long it lasts, counted by a clock that does not depend on the time of day.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';

export function LockedOut({
  untilMs,
  onOver,
}: {
  readonly untilMs: number;
  readonly onOver: () => void;
}) {
  const { clock } = useApp();
  const [leftMs, setLeftMs] = useState(() => untilMs - clock.monotonicMs());
  useEffect(() => {
    const tick = (): void => {
      const left = untilMs - clock.monotonicMs();
      if (left <= 0) return onOver();
      setLeftMs(left);
      timer = clock.timer(1_000, tick);
    };
    let timer = clock.timer(1_000, tick);
    return () => timer.cancel();
  }, [clock, untilMs]);
  return (
    <div class="obstacle" role="alert">
      <strong>Too many attempts</strong>
      <p>
        You can try again in <span aria-hidden="true">{formatLeft(leftMs)}</span>
        <span class="only-read-aloud">a while</span>.
      </p>
    </div>
  );
}

function formatLeft(leftMs: number): string {
  const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
