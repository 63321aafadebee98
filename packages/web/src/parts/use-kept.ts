/*
 * What a screen shows again when a person comes back to it: its filters, how much of a list was opened, and which of it was in sight.
 */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import type { Visit } from '../state/visits.ts';
import { useScreenPlace } from './screen-place.ts';

/* Of the screen that asks. A list beside what is open is at an address of its own. */
export function useVisit(): Visit {
  const { visits } = useApp();
  const place = useScreenPlace();
  const [location] = useLocation();
  return useMemo(() => visits.of(place.kind === 'list' ? place.listAt : location), [visits]);
}

/* As `useState`, and as it was when this screen was left. */
export function useKept<Value>(
  name: string,
  first: Value,
): readonly [Value, (value: Value) => void] {
  const visit = useVisit();
  const [value, setValue] = useState(() => (visit.has(name) ? (visit.get(name) as Value) : first));
  const keep = (next: Value): void => {
    visit.set(name, next);
    setValue(next);
  };
  return [value, keep];
}

interface Sight {
  readonly topPx: number;
  /* The first row that is wholly in sight, by where it leads: above it others may come and go meanwhile. */
  readonly href: string | null;
  readonly belowPx: number;
}

export function useKeptScroll(scroller: { readonly current: HTMLElement | null }): void {
  const visit = useVisit();
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const ending = new AbortController();
    const { signal } = ending;
    const left = visit.get('scroll') as Sight | undefined;
    let holding = left === undefined || left.topPx === 0 ? undefined : hold(element, left);
    const letGo = (): void => {
      holding?.disconnect();
      holding = undefined;
    };
    // Its content is still there when the address has changed. What was not shown again yet is left as it was.
    const leave = (): void => {
      if (element.scrollTop > 0 || holding === undefined) visit.set('scroll', sightOf(element));
    };
    // From then on the person says what is in sight.
    for (const hand of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
      addEventListener(hand, letGo, { signal, passive: true });
    for (const step of ['popstate', 'pushState']) addEventListener(step, leave, { signal });
    return () => {
      ending.abort();
      letGo();
    };
  }, []);
}

/* Whenever something of the content comes: it is read from the device, and then from the gateway. */
function hold(element: HTMLElement, { topPx, href, belowPx }: Sight): MutationObserver {
  const show = (): void => {
    const row = href === null ? null : element.querySelector(`a[href="${CSS.escape(href)}"]`);
    if (row !== null) element.scrollTop += belowOf(row, element) - belowPx;
    else if (element.scrollHeight >= topPx + element.clientHeight) element.scrollTop = topPx;
  };
  show();
  const observer = new MutationObserver(show);
  observer.observe(element, { childList: true, subtree: true });
  return observer;
}

function sightOf(element: HTMLElement): Sight {
  const row = [...element.querySelectorAll('a[href]')].find((one) => belowOf(one, element) >= 0);
  return {
    topPx: element.scrollTop,
    href: row?.getAttribute('href') ?? null,
    belowPx: row === undefined ? 0 : belowOf(row, element),
  };
}

function belowOf(row: Element, element: Element): number {
  return row.getBoundingClientRect().top - element.getBoundingClientRect().top;
}
