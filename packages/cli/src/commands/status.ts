/*
 * `clf status`: is there a gateway for this state directory, where, and how is it. Exits 1 when it is not ready.
 */
import { glimpseRuns } from '@clawdfather/supervisor/peek';
import type { CallOf, CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitChecksFailed, exitOk } from '../exit-status.ts';
import { howToRestart, otherVersionOf } from '../gateway/other-version.ts';
import { type GatewayLook, lookAtGateway } from '../gateway/look-at-gateway.ts';
import { formatDuration, formatInstant } from '../render/duration.ts';
import type { Paint } from '../render/paint.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import type { statusSpec } from './gateway-specs.ts';
import { readVersion } from './version.ts';

/* Between two looks while waiting: a start takes some tenths of a second. */
const lookEveryMs = 100;

export async function execute(context: CallOf<typeof statusSpec>): Promise<ExitStatus> {
  const { io, flags, clock, paint } = context;
  const untilMs = clock.monotonicMs() + (flags.wait ?? 0);
  let look = await lookAtGateway(context);
  while (!look.isReady && clock.monotonicMs() < untilMs) {
    await clock.sleep(lookEveryMs);
    look = await lookAtGateway(context);
  }
  if (context.isJson) await io.stdout.write(jsonLine(lookJson(context, look)));
  else if (!flags.quiet) {
    const nowMs = clock.wallMs();
    await io.stdout.write(formatLook(look, { paint, nowMs, stateDir: context.config.stateDir }));
    const other = otherVersionOf(look.found, readVersion());
    if (other !== undefined) {
      const restart = `Restart it: ${howToRestart(context.config)}. What runs goes on.`;
      await io.stdout.write(`${paint.warn('An upgrade')} waits for it: ${other}.\n${restart}\n`);
    }
  }
  return codeStatus(look.isReady ? exitOk : exitChecksFailed);
}

function lookJson(
  { config, clock }: CommandContext,
  { found, isReady, health }: GatewayLook,
): Json {
  const record = found.kind === 'none' ? undefined : found.record;
  return {
    gateway: found.kind,
    isReady,
    stateDir: config.stateDir,
    url: record?.url ?? null,
    publicUrl: record?.publicUrl ?? null,
    pid: record?.pid ?? null,
    version: record?.version ?? null,
    database: record?.database ?? null,
    startedAt: record === undefined ? null : formatInstant(record.startedAtMs),
    uptimeMs:
      record === undefined || found.kind !== 'running' ? null : clock.wallMs() - record.startedAtMs,
    liveRuns: countRuns(config.stateDir),
    health:
      health === undefined
        ? null
        : {
            status: health.status,
            checks: Object.fromEntries(
              Object.entries(health.checks).map(([name, { status }]) => [name, status]),
            ),
            counts: health.counts,
          },
  };
}

interface LookLayout {
  readonly paint: Paint;
  readonly nowMs: number;
  readonly stateDir: string;
}

function formatLook(look: GatewayLook, layout: LookLayout): string {
  const { found } = look;
  const { paint, stateDir } = layout;
  switch (found.kind) {
    case 'none':
      return `No gateway runs for ${stateDir}.\nStart one: clf serve, or for good: clf service install\n`;
    case 'stale': {
      const { pid, startedAtMs } = found.record;
      const since = formatInstant(startedAtMs);
      return (
        `${paint.warn('No gateway runs')} for ${stateDir}.\n` +
        `The last one (process ${pid}, since ${since}) ended without saying so; its runs go on.\n` +
        `Start it again: clf serve\n`
      );
    }
    case 'elsewhere':
      return (
        `A gateway of another container uses ${stateDir}: ${found.record.url}\n` +
        `It cannot be looked at from here.\n`
      );
    case 'running':
      return formatRunning(look, layout);
  }
}

function formatRunning(
  { found, isReady, health, diskFault }: GatewayLook,
  { paint, nowMs, stateDir }: LookLayout,
): string {
  if (found.kind !== 'running') return '';
  const { url, publicUrl, pid, version, startedAtMs, database } = found.record;
  const state = isReady ? paint.good('ready') : paint.bad('not ready');
  const checks = Object.entries(health?.checks ?? {}).map(([name, { status }]) =>
    status === 'ok' ? `${name} ok` : paint.warn(`${name} ${status}`),
  );
  const rows: (readonly [string, string])[] = [
    ['address', publicUrl === null ? url : `${publicUrl} (listening on ${url})`],
    ['process', `${pid}, up ${formatDuration(nowMs - startedAtMs)}, version ${version}`],
    ['database', database],
    ['state', stateDir],
    [
      'health',
      health === undefined ? paint.bad('no answer') : [health.status, ...checks].join(', '),
    ],
    ...(diskFault === undefined ? [] : [['disk', paint.bad(diskFault)] as const]),
    ['runs', String(countRuns(stateDir))],
    ...countRows(health?.counts ?? {}),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => `${paint.dim(name.padEnd(width))}  ${text}`);
  return `The gateway is ${state}.\n${lines.join('\n')}\n`;
}

/* More than anybody has; it is a look into the registry, whoever started them. */
const runsCountedMax = 100_000;

function countRuns(stateDir: string): number {
  return glimpseRuns(stateDir, { isAliveOnly: true, limit: runsCountedMax }).length;
}

/* What people ask after; the rest is in the metrics. */
const countNames: Readonly<Record<string, string>> = {
  active_sessions: 'sessions',
  connected_websockets: 'sockets',
};

function countRows(counts: Readonly<Record<string, number>>): (readonly [string, string])[] {
  return Object.entries(countNames).flatMap(([name, word]) => {
    const count = counts[name];
    return count === undefined ? [] : [[word, String(count)] as const];
  });
}
