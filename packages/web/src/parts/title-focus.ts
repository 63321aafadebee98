/*
 * The name of a screen takes the focus when a person comes to the screen. Not where a field of it has taken it already, and not on the first
 * screen of the page, which the browser reads from its beginning.
 */
import { type MutableRef, useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { useScreenPlace } from './screen-place.ts';

/* For the heading. Of a list and the detail beside it, that which was opened is come to. */
export function useTitleFocus(): MutableRef<HTMLHeadingElement | null> {
  const { visits } = useApp();
  const place = useScreenPlace();
  const [location] = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  const isOpened = place.kind !== 'list' || place.listAt === location;
  // After the paint, when a sheet that was left for it is closed and has given its focus back.
  useEffect(() => {
    const title = heading.current;
    if (!isOpened || title === null || !visits.takeArrival()) return;
    const hasFocus = title.closest('.screen')?.contains(document.activeElement) === true;
    if (!hasFocus) title.focus({ preventScroll: true });
  }, [isOpened]);
  return heading;
}
