/*
 * The scroller of a conversation: it stays at the end while its reader is there, and stands still as soon as they scroll away. What
 * is added above does not move what is read. Nothing is scrolled while a finger is on it.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/* Nearer to the end than this is at the end. */
const atEndPx = 24;

export function FollowedScroller({
  newest,
  hasOlder,
  onOlder,
  children,
}: {
  /* Changes when something was added at the end. */
  readonly newest: number;
  readonly hasOlder: boolean;
  readonly onOlder: () => void;
  readonly children: ComponentChildren;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const isTouched = useRef(false);
  const fromEnd = useRef(0);
  const [missed, setMissed] = useState(0);
  const seen = useRef(newest);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || isTouched.current) return;
    if (follows.current) {
      element.scrollTop = element.scrollHeight;
      seen.current = newest;
      if (missed !== 0) setMissed(0);
    } else {
      setMissed(Math.max(0, newest - seen.current));
    }
  });
  const look = (): void => {
    const element = scroller.current;
    if (element === null) return;
    fromEnd.current = element.scrollHeight - element.clientHeight - element.scrollTop;
    follows.current = fromEnd.current < atEndPx;
    if (follows.current) seen.current = newest;
    if (element.scrollTop < element.clientHeight && hasOlder) onOlder();
  };
  const goToEnd = (): void => {
    follows.current = true;
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
    setMissed(0);
  };
  return (
    <div class="followed">
      <div
        class="scroller conversation"
        ref={scroller}
        onScroll={look}
        onTouchStart={() => {
          isTouched.current = true;
          follows.current = false;
        }}
        onTouchEnd={() => {
          isTouched.current = false;
          look();
        }}
        role="log"
        aria-label="Conversation"
        tabIndex={0}
      >
        {hasOlder && (
          <button type="button" class="button plain" onClick={onOlder}>
            Show older
          </button>
        )}
        {children}
      </div>
      {missed > 0 && (
        <button type="button" class="button pill" onClick={goToEnd}>
          ↓ {missed} new
        </button>
      )}
    </div>
  );
}
