/*
 * The way to find anything, for whatever shows a button for it.
 */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export const FindingContext = createContext<(() => void) | undefined>(undefined);

export function useFinding(): (() => void) | undefined {
  return useContext(FindingContext);
}
