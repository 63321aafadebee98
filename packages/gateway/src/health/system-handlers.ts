/*
 * /health, /readyz and /metrics. They need no token, so they contain nothing that a stranger must not know.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { Shield } from '@clawdfather/tools';
import type { GatewayConfig } from '../gateway-config.ts';
import { notFound } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import type { Observe } from '../observe/open-observe.ts';
import type { Health } from './check-health.ts';
import { createMayReadMetrics } from './may-read-metrics.ts';

export interface SystemParts {
  readonly config: GatewayConfig;
  readonly observe: Observe;
  readonly runs: { readonly shield: Shield | undefined };
}

export function createSystemHandlers({
  config,
  observe,
  runs,
}: SystemParts): Handlers<Api['system']> {
  const mayRead = createMayReadMetrics(config.metricsNetworks);
  return {
    health: async ({ reply }) => {
      const health = await observe.checkHealth();
      const shield = (await runs.shield?.state())?.level ?? null;
      const answer = { ...show(health, { observe, version: config.version }), shield };
      if (health.status === 'unhealthy') reply.code(503);
      return answer;
    },
    ready: async ({ reply }) => {
      // Shares the result of /health, so that frequent requests do not write each time.
      const { readiness } = await observe.checkHealth();
      const answer = {
        status: readiness?.isReady ? 'ready' : 'not_ready',
        database: readiness?.database ?? 'down',
        migrations: readiness?.migrations?.state ?? null,
      } as const;
      if (answer.status === 'not_ready') reply.code(503);
      return answer;
    },
    metrics: async (call) => {
      const { ip, reply } = call;
      const header = (name: string): string | undefined => call.header(name);
      // The same answer as for a path that does not exist.
      if (!mayRead({ ip, peer: reply.request.socket.remoteAddress, header })) throw notFound();
      const { text, contentType } = await observe.formatMetrics();
      reply.header('content-type', contentType);
      return text;
    },
  };
}

function show(
  { status, db, filesystem, activeSessions, activeControlmasters }: Health,
  { observe, version }: { readonly observe: Observe; readonly version: string },
) {
  const { freeBytes } = filesystem;
  return {
    status,
    checks: {
      db: { status: db.status, latency_ms: Math.round(db.latencyMs) },
      filesystem: {
        status: filesystem.status,
        tmp_writable: filesystem.isWritable,
        tmp_space_mb: freeBytes === undefined ? null : Math.floor(freeBytes / 1_048_576),
      },
    },
    active_sessions: activeSessions ?? null,
    active_controlmasters: activeControlmasters ?? null,
    connected_websockets: observe.connectedWebsockets(),
    version,
    uptime_s: Math.floor(observe.uptimeSeconds()),
  };
}
