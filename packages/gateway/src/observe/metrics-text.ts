/*
 * Our numbers in the text that Prometheus reads, by prom-client: loaded with the first reader.
 */
import type { Metric } from 'prom-client';
import type { Instrument } from './instruments.ts';

export interface MetricsText {
  readonly text: string;
  readonly contentType: string;
}

export function createMetricsText(instruments: readonly Instrument[]): () => Promise<MetricsText> {
  const open = async () => {
    // Its default is what a CommonJS package exports; names beside it do not survive bundling.
    const { default: client } = await import('prom-client');
    const registry = new client.Registry();
    for (const instrument of instruments) registry.registerMetric(metricOf(instrument));
    return registry;
  };
  let opened: ReturnType<typeof open> | undefined;
  return async () => {
    opened ??= open();
    const registry = await opened;
    return { text: await registry.metrics(), contentType: registry.contentType };
  };
}

/* What the registry asks of a metric; the library has no type for one that is not its own. */
function metricOf({ name, definition: { help, type }, read }: Instrument): Metric {
  const get = () => Promise.resolve({ name, help, type, aggregator: 'sum', values: read() });
  return { name, get, reset: () => {} } as unknown as Metric;
}
