/*
 * What the tab, the list of windows and the history of the browser call a page.
 */
import { useEffect } from 'preact/hooks';

/* Undefined: somebody else says it. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Clawdfather`;
  }, [title]);
}
