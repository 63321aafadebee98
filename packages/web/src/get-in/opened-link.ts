/*
 * The link that this page was opened with, until it is used. Its secret is taken out of the address and of the history at once: nobody who
 * looks at the screen or goes back finds it.
 *
 * It is for a browser that is outside. Once the gateway has said that somebody is in, it is forgotten: a link that a stranger sent does not
 * change who is signed in, now or later.
 */
import type { ReadonlySignal } from '@preact/signals';
import type { Standing } from '../state/membership.ts';
import { type Given, parseGiven } from './parse-given.ts';

export interface OpenedLink {
  readonly given: Given;
  readonly address: string;
}

let held: OpenedLink | undefined;

export function readOpenedLink(standing: ReadonlySignal<Standing>): OpenedLink | undefined {
  const { hash, pathname, href } = location;
  if (!hash.startsWith('#clf-')) return held;
  history.replaceState(null, '', pathname === '/login' ? '/' : pathname);
  held = { given: parseGiven(hash), address: href };
  const stop = standing.subscribe((now) => {
    if (now.kind === 'in' && now.isProven) forgetOpenedLink();
    if (held === undefined) queueMicrotask(() => stop());
  });
  return held;
}

export function forgetOpenedLink(): void {
  held = undefined;
}
