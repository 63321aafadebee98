/*
 * The histogram of requests says what prom-client's own would say, and costs far less to observe.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { requestDurations } from '../../src/observe/metric-catalogue.ts';
import { createMetricsText } from '../../src/observe/metrics-text.ts';
import { createRequestDurations } from '../../src/observe/request-durations.ts';

test('it is the same text as the library writes, for whatever was observed', async () => {
  const { name, help, buckets, labelNames } = requestDurations;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          method: fc.constantFrom('GET', 'POST'),
          route: fc.constantFrom('/api/v1/runs', '/health', 'a"b\\c'),
          status: fc.constantFrom(200, 201, 404, 503),
          durationMs: fc.oneof(
            fc.constantFrom(...buckets),
            fc.double({ min: 0, max: 1e5, noNaN: true }),
          ),
        }),
      ),
      async (requests) => {
        const theirs = new Registry();
        const durations = createRequestDurations();
        const histogram = new Histogram({
          name,
          help,
          buckets: [...buckets],
          labelNames: [...labelNames],
          registers: [theirs],
        });
        for (const { method, route, status, durationMs } of requests) {
          durations.series(method, route, status).observe(durationMs);
          const labels = { method, route, status: `${Math.trunc(status / 100)}xx` };
          histogram.observe(labels, durationMs);
        }
        const { text } = await createMetricsText([durations.instrument])();
        assert.deepEqual(linesOf(text), linesOf(await theirs.metrics()));
      },
    ),
    { numRuns: 50 },
  );
});

/* As a set of series: neither the order of lines nor that of labels means anything. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
      return name === '' ? line : `${name}{${labels.split(',').toSorted().join(',')}} ${value}`;
    })
    .toSorted();
}
