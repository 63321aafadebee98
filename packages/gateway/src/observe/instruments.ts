/*
 * Counters, gauges and histograms as plain numbers.
 *
 * prom-client's own check and hash the labels at each step (0.4 µs where a step here takes 0.02), and loading the library
 * takes as long as loading the whole HTTP server. So numbers are kept here, and the library is loaded when somebody reads
 * /metrics for the first time, to write them as text (metrics-text.ts).
 */
import type { MetricDefinition } from './metric-catalogue.ts';

export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly metricName: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Instrument {
  readonly name: string;
  readonly definition: MetricDefinition;
  readonly read: () => readonly Sample[];
}

export interface NumberInstrument extends Instrument {
  add(labels: Labels, by: number): void;
  /* `undefined` where the value cannot be known: the series is left out rather than wrong. */
  set(labels: Labels, value: number | undefined): void;
}

export interface Series {
  observe(value: number): void;
}

export interface HistogramInstrument extends Instrument {
  /* Look it up once if you observe often. */
  series(labels: Labels): Series;
}

/* Labels are from fixed lists, so this is never reached; a mistake must not eat the memory. */
const seriesMax = 4_096;

/* Counters begin with every series at zero, gauges with none: what was not looked at yet is not zero. */
export function createNumbers(name: string, definition: MetricDefinition): NumberInstrument {
  const values = new Map<string, { readonly labels: Labels; value: number }>();
  const labelNames = Object.keys(definition.labels ?? {});
  const keyOf = (labels: Labels): string => labelNames.map((label) => labels[label]).join('\n');
  const put = (labels: Labels, value: number): void => {
    if (values.size < seriesMax) values.set(keyOf(labels), { labels, value });
  };
  if (definition.type === 'counter') {
    for (const labels of combinationsOf(definition.labels ?? {})) put(labels, 0);
  }
  return {
    name,
    definition,
    add: (labels, by) => {
      const known = values.get(keyOf(labels));
      if (known === undefined) put(labels, by);
      else known.value += by;
    },
    set: (labels, value) => {
      if (value === undefined) values.delete(keyOf(labels));
      else put(labels, value);
    },
    read: () =>
      [...values.values()].map(({ labels, value }) => ({ metricName: name, labels, value })),
  };
}

export function createHistogram(name: string, definition: MetricDefinition): HistogramInstrument {
  const all: { readonly series: Series; readonly read: () => readonly Sample[] }[] = [];
  const { buckets = [] } = definition;
  return {
    name,
    definition,
    series: (labels) => {
      const created = createSeries({ name, buckets, labels });
      if (all.length < seriesMax) all.push(created);
      return created.series;
    },
    read: () => all.flatMap(({ read }) => read()),
  };
}

function createSeries({
  name,
  buckets,
  labels,
}: {
  readonly name: string;
  readonly buckets: readonly number[];
  readonly labels: Labels;
}): { readonly series: Series; readonly read: () => readonly Sample[] } {
  const counts = new Float64Array(buckets.length + 1);
  let sum = 0;
  const observe = (value: number): void => {
    let at = 0;
    while (at < buckets.length && value > (buckets[at] ?? 0)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    sum += value;
  };
  const read = (): readonly Sample[] => {
    const samples: Sample[] = [];
    let total = 0;
    counts.forEach((count, at) => {
      total += count;
      const le = buckets[at] ?? '+Inf';
      samples.push({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: total });
    });
    return [
      ...samples,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  };
  return { series: { observe }, read };
}

/* One of no labels at all, for a metric that has none. */
function combinationsOf(labels: Readonly<Record<string, readonly string[]>>): readonly Labels[] {
  return Object.entries(labels).reduce<readonly Labels[]>(
    (combinations, [label, values]) =>
      combinations.flatMap((combination) =>
        values.map((value) => ({ ...combination, [label]: value })),
      ),
    [{}],
  );
}
