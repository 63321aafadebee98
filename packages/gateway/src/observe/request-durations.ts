/*
 * The histogram of request durations, observed for every request: the series of a route is found once.
 */
import { createHistogram, type Instrument, type Series } from './instruments.ts';
import { requestDurations } from './metric-catalogue.ts';

export interface RequestDurations {
  /* `status` is the code; the label is its class. */
  series(method: string, route: string, status: number): Series;
  readonly instrument: Instrument;
}

/* Routes are a fixed list, so this is never reached. */
const routesMax = 1_024;

export function createRequestDurations(): RequestDurations {
  const { name, ...definition } = requestDurations;
  const histogram = createHistogram(name, definition);
  /* Not by one text of both: it would be put together and hashed for every request. */
  const byRoute = new Map<string, Map<string, (Series | undefined)[]>>();
  return {
    series: (method, route, status) => {
      let byMethod = byRoute.get(route);
      if (byMethod === undefined) {
        byMethod = new Map();
        if (byRoute.size < routesMax) byRoute.set(route, byMethod);
      }
      let classes = byMethod.get(method);
      if (classes === undefined) {
        classes = [];
        byMethod.set(method, classes);
      }
      const digit = Math.trunc(status / 100);
      return (classes[digit] ??= histogram.series({ method, route, status: `${digit}xx` }));
    },
    instrument: histogram,
  };
}
