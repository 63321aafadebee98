/*
 * A part that a screen is whole without. When its file cannot be loaded, because there is no network just now, the screen stays as it is, without
 * that part; any other file that is missing takes the place of the screen and says so (shell/boundary.tsx).
 */
import type { FunctionComponent } from 'preact';
import { lazy } from 'preact/compat';

export function lazyExtra<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  const nothing: FunctionComponent<Props> = () => null;
  return lazy(() => load().catch(() => nothing));
}
