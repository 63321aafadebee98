/*
 * The files in deploy: alerts that fire when they should and not otherwise, and a dashboard that asks for nothing that is not
 * there.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { metricCatalogue, requestDurations } from '../../src/observe/metric-catalogue.ts';

const deploy = new URL('../../../../deploy/', import.meta.url);
const prometheus = fileURLToPath(new URL('prometheus', deploy));

/* Alert → severity and channel, as docs/observability.md has them. */
const documented = {
  ClawdfatherHighErrorRate: 'P1 pagerduty',
  ClawdfatherApiLatencyHigh: 'P2 slack',
  ClawdfatherSshConnectLatencyHigh: 'P2 slack',
  ClawdfatherNoActiveSessions: 'P3 slack',
  ClawdfatherOrphanSessionSpike: 'P2 slack',
  ClawdfatherDatabaseDown: 'P1 pagerduty',
  ClawdfatherCleanupNotRunning: 'P2 slack',
  ClawdfatherDiskSpaceLow: 'P2 slack',
  ClawdfatherTurnsFail: 'P2 slack',
  ClawdfatherTurnsStuck: 'P2 slack',
} as const;

function promtool(context: TestContext, ...args: readonly string[]): void {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, {
    cwd: prometheus,
    encoding: 'utf8',
  });
  if (error !== undefined) return context.skip('promtool is not installed');
  return assert.equal(status, 0, `${stdout}${stderr}`);
}

test('the rules and the example configuration are valid', (context) => {
  promtool(context, 'check', 'rules', 'alerts.yml');
  promtool(context, 'check', 'config', 'prometheus.yml');
});

test('each alert fires when it should and not otherwise', (context) => {
  promtool(context, 'test', 'rules', 'alerts.test.yml', 'alerts-week.test.yml');
});

test('every documented alert is there with its severity and channel, and has a case for both', async () => {
  const rules = await readText('prometheus/alerts.yml');
  const found = [
    ...rules.matchAll(/- alert: (\w+)\n[^]*?severity: (P\d)\n\s+page: [\w-]+\n\s+channel: (\w+)/g),
  ].map(([, name = '', severity, channel]) => [name, `${severity} ${channel}`]);
  const { ClawdfatherDown: own, ...rest } = Object.fromEntries(found) as Record<string, string>;
  assert.equal(own, 'P1 pagerduty');
  assert.deepEqual(rest, documented);

  const cases =
    (await readText('prometheus/alerts.test.yml')) +
    (await readText('prometheus/alerts-week.test.yml'));
  for (const name of [...Object.keys(documented), 'ClawdfatherDown']) {
    const fires = new RegExp(`alertname: ${name}\\n\\s+exp_alerts:\\n`);
    assert.match(cases, fires, name);
  }
});

test('alerts and dashboard ask only for metrics that exist', async () => {
  const known = new Set([...Object.keys(metricCatalogue), requestDurations.name, 'up']);
  const rules = await readText('prometheus/alerts.yml');
  const dashboard: unknown = JSON.parse(await readText('grafana/dashboard.json'));
  const asked = [
    ...[...rules.matchAll(/expr: (?:\|\n((?:\s{10,}.*\n)+)|(.*))/g)].map(
      ([, block, line]) => block ?? line ?? '',
    ),
    ...textsOf(dashboard, 'expr'),
    ...textsOf(dashboard, 'query').filter((query) => query.startsWith('label_values')),
  ];
  assert.ok(asked.length > 40, `${asked.length} queries`);
  const names = new Set(
    asked.flatMap((query) => query.match(/\b(?:clawdfather|process)_\w+/g) ?? []),
  );
  for (const name of names) {
    const base = name.replace(/_(?:bucket|sum|count)$/, '');
    assert.ok(known.has(name) || known.has(base), `${name} does not exist`);
  }
  // And the other way: what is exported is shown somewhere.
  for (const name of known) {
    const isShown = [...names].some((asked) => asked === name || asked.startsWith(`${name}_`));
    assert.ok(isShown || name === 'up', `nothing shows ${name}`);
  }
});

test('the panels of the dashboard have ids of their own and do not overlap', async () => {
  const { panels } = JSON.parse(await readText('grafana/dashboard.json')) as {
    readonly panels: readonly {
      readonly id: number;
      readonly title: string;
      readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
    }[];
  };
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const [at, { title, gridPos: one }] of panels.entries()) {
    assert.ok(one.x + one.w <= 24, title);
    for (const { title: otherTitle, gridPos: other } of panels.slice(at + 1)) {
      const isApart =
        one.x + one.w <= other.x ||
        other.x + other.w <= one.x ||
        one.y + one.h <= other.y ||
        other.y + other.h <= one.y;
      assert.ok(isApart, `${title} and ${otherTitle}`);
    }
  }
});

function readText(path: string): Promise<string> {
  return readFile(new URL(path, deploy), 'utf8');
}

/* Every string under this key, at any depth. */
function textsOf(value: unknown, key: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && typeof inner === 'string' ? [inner] : textsOf(inner, key),
  );
}
