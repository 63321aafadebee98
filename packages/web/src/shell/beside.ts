/*
 * Which list stands beside what is open, in a wide window. Pure, but for the look at the window.
 */
import { useEffect, useState } from 'preact/hooks';

export const lists = ['/inbox', '/threads', '/runs', '/hosts', '/keys'] as const;

export interface Beside {
  readonly listAt: (typeof lists)[number];
  /* Nothing of it is open: the detail's place is empty. */
  readonly isListItself: boolean;
}

/* What the inbox leads to has no list of its own. */
const ofInbox = ['/approvals', '/asks'];

export function besideOf(location: string): Beside | undefined {
  const [, first = ''] = location.split('/');
  const place = `/${first}`;
  const listAt = ofInbox.includes(place) ? '/inbox' : lists.find((each) => each === place);
  if (listAt === undefined) return undefined;
  return { listAt, isListItself: location === listAt };
}

const wide = '(min-width: 64rem)';

export function useIsWide(): boolean {
  const [isWide, setIsWide] = useState(() => matchMedia(wide).matches);
  useEffect(() => {
    const query = matchMedia(wide);
    const look = (): void => setIsWide(query.matches);
    look();
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return isWide;
}
