/*
 * The test's side of a gate (gate-files.ts): learns that an agent stands there and lets it go on.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { untilDirectory } from './file-event.ts';
import { gateFiles } from './gate-files.ts';

export interface Gate {
  /** Resolves with the process ids of those who arrived, once there are this many (1). */
  reached(count?: number, signal?: AbortSignal): Promise<readonly number[]>;
  /** Lets everybody pass, now and later. */
  release(): void;
  /** The same, so that a test that fails leaves nobody standing in the way of the next one. */
  [Symbol.dispose](): void;
}

/** Makes the directory if it is not there. Whoever made the directory removes it. */
export function openGate(directory: string, name: string): Gate {
  const files = gateFiles(directory, name);
  mkdirSync(directory, { recursive: true });
  const arrived = (): readonly number[] =>
    existsSync(files.reached)
      ? readFileSync(files.reached, 'utf8').split('\n').slice(0, -1).map(Number)
      : [];
  const release = (): void => writeFileSync(files.open, '');
  return {
    reached: async (count = 1, signal = new AbortController().signal) => {
      await untilDirectory(directory, () => arrived().length >= count, signal);
      return arrived();
    },
    release,
    [Symbol.dispose]: release,
  };
}
