/*
 * Light or dark, and how large the text is, as the person has chosen on this device. Set as properties: the page's policy allows no style
 * in an attribute.
 */
import { effect } from '@preact/signals';
import type { Preferences } from '../state/preferences.ts';

const sizes = { small: '93.75%', usual: '100%', large: '118.75%', largest: '137.5%' } as const;

export function keepAppearance(
  root: HTMLElement,
  { scheme, textSize }: Pick<Preferences, 'scheme' | 'textSize'>,
): void {
  effect(() => {
    root.style.colorScheme = scheme.value === 'system' ? '' : scheme.value;
  });
  effect(() => {
    root.style.fontSize = sizes[textSize.value];
  });
}
