/*
 * How screens are come to, afresh or back, and what each was like when it was left: in memory only, for as long as the page is open.
 *
 * A visit begins with each step in the history. One that goes back, by the browser or by a screen's own way back, finds what the last visit of
 * that address has left; any other begins with nothing.
 */

/* What one visit remembers, by names of its own. */
export type Visit = Map<string, unknown>;

export interface Visits {
  /* The same one for all that asks within one visit. */
  of(path: string): Visit;
  /* True once after each step: whoever asks first receives the person who comes. The first screen of the page is not come to. */
  takeArrival(): boolean;
  forget(): void;
}

/* The state of a step that is the way back of a screen. */
export const wayBack = { isBack: true } as const;

/* Nobody goes back further, and what is remembered may be long. */
const visitsMax = 50;

export interface VisitsPage {
  readonly history: { readonly state: unknown };
  addEventListener(name: string, listener: () => void): void;
}

export function openVisits(page: VisitsPage): Visits {
  const visits = new Map<string, { readonly step: number; readonly visit: Visit }>();
  let step = 0;
  let isBack = false;
  let isArriving = false;
  const begin = (goesBack: boolean): void => {
    step += 1;
    isBack = goesBack;
    isArriving = true;
  };
  page.addEventListener('popstate', () => begin(true));
  // The router tells of it.
  page.addEventListener('pushState', () => begin(isWayBack(page.history.state)));
  return {
    of: (path) => {
      const left = visits.get(path);
      if (left !== undefined && (isBack || left.step === step)) return left.visit;
      const visit: Visit = new Map();
      // To the end: the oldest leaves first.
      visits.delete(path);
      visits.set(path, { step, visit });
      for (const oldest of visits.keys()) {
        if (visits.size <= visitsMax) break;
        visits.delete(oldest);
      }
      return visit;
    },
    takeArrival: () => {
      const wasArriving = isArriving;
      isArriving = false;
      return wasArriving;
    },
    forget: () => visits.clear(),
  };
}

function isWayBack(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'isBack' in state;
}
