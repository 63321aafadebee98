/*
 * Keeps a part as high as it was before something else took the place of what it holds: nothing moves under a finger that has just been there.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export function useKeptHeight(part: RefObject<HTMLElement>, isKept: boolean): void {
  const heightPx = useRef(0);
  useLayoutEffect(() => {
    const element = part.current;
    if (element === null) return;
    element.style.minHeight = isKept ? `${heightPx.current}px` : '';
    if (isKept) return;
    // Also where it grows or shrinks without being drawn anew, as when the phone is turned.
    const sizes = new ResizeObserver(() => {
      heightPx.current = element.getBoundingClientRect().height;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [part, isKept]);
}
