/*
 * The scroller of a conversation: it stays at the end while its reader is there (use-following.ts), and asks for what is older when the
 * reader comes near to the beginning.
 */
import type { ComponentChildren } from 'preact';
import { useFollowing } from './use-following.ts';

export interface FollowedScrollerProps {
  /* Grows with what is added at the end. */
  readonly newest: number;
  readonly hasOlder: boolean;
  readonly onOlder: () => void;
  readonly children: ComponentChildren;
}

export function FollowedScroller({ newest, hasOlder, onOlder, children }: FollowedScrollerProps) {
  const { scroller, missed, isNearTop, look, touch, goToEnd } = useFollowing(newest);
  return (
    <div class="followed">
      <div
        class="scroller conversation"
        ref={scroller}
        onScroll={() => {
          look();
          if (hasOlder && isNearTop()) onOlder();
        }}
        onTouchStart={() => touch(true)}
        onTouchEnd={() => touch(false)}
        onTouchCancel={() => touch(false)}
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
