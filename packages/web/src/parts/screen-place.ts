/*
 * Where a screen is shown: alone, as the list beside a detail, or as the detail beside its list. The same screens are used for all three.
 */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export type ScreenPlace =
  | { readonly kind: 'alone' }
  | { readonly kind: 'list'; readonly listAt: string }
  /* `listAt`: the list that stands beside it. The way back to it is not needed. */
  | { readonly kind: 'detail'; readonly listAt: string };

export const ScreenPlaceContext = createContext<ScreenPlace>({ kind: 'alone' });

export function useScreenPlace(): ScreenPlace {
  return useContext(ScreenPlaceContext);
}
