/*
 * What a gateway of a campaign of turns is told on its command line, and the lines of JSON that it says on its standard output.
 */
import { join } from 'node:path';

export interface TurnsSettings {
  readonly dir: string;
  readonly accountId: string;
  /* Which option its person chooses. */
  readonly choice: number;
  /* It asks nothing new, and ends when everything has. */
  readonly isLast: boolean;
}

export type TurnsMessage =
  /* Its code is loaded; it waits for a line. */
  | { readonly type: 'loaded' }
  /* It has taken over what it found, and works. */
  | { readonly type: 'ready' }
  /* It has passed one of the points around commits, deliveries and the like. */
  | { readonly type: 'point' }
  | { readonly type: 'finished' }
  | { readonly type: 'failed'; readonly error: string };

/* Where everything of a campaign is. */
export function placesIn(dir: string) {
  return {
    stateDir: join(dir, 'state'),
    database: join(dir, 'control.db'),
    traces: join(dir, 'traces'),
    effects: join(dir, 'effects'),
    bundle: join(dir, 'bundle'),
    cache: join(dir, 'cache'),
  } as const;
}
