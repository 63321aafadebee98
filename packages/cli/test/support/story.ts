/*
 * What stories of command lines are made of, and words that many of them have.
 */
import type { CommandLine } from './both-places.ts';

export interface Story {
  readonly about: string;
  readonly lines: readonly CommandLine[];
}

export const started = 'RUN\n';
export const megabyte = Buffer.alloc(1_048_576, 'a line of input\n');

export const refused = (message: string, hint: string, code: string): string =>
  `clf: ${message}\n  ${hint}\n  (${code})\n`;
export const unknown = (typed: string): string =>
  refused(
    `no run is called "${typed}"`,
    'See all runs, finished ones too: clf ps -a',
    'run-not-found',
  );
