/*
 * How the gateway is, for load balancers, monitoring and people. It needs no sign-in.
 */
import { z } from 'zod';
import { endpoints } from './endpoint.ts';

const statusSchema = z.enum(['ok', 'degraded', 'unhealthy']);
/* `null` while it cannot be known. */
const countSchema = z.int().min(0).nullable();

const healthSchema = z
  .object({
    status: statusSchema,
    checks: z.object({
      db: z.object({ status: statusSchema, latency_ms: z.int() }),
      filesystem: z.object({
        status: statusSchema,
        tmp_writable: z.boolean(),
        tmp_space_mb: z.int().nullable(),
      }),
    }),
    active_sessions: countSchema,
    active_controlmasters: countSchema,
    connected_websockets: z.int().min(0),
    /* Around what agents start; null: this gateway has none. */
    shield: z.enum(['full', 'opened', 'partial', 'none']).nullable(),
    version: z.string(),
    uptime_s: z.int(),
  })
  .meta({ id: 'Health' });

const readinessSchema = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    /* `damaged`: its content is not what was written. `unwritable`: it can only be read. */
    database: z.enum(['up', 'down', 'damaged', 'unwritable']),
    migrations: z.enum(['current', 'pending', 'newer', 'changed', 'missing']).nullable(),
  })
  .meta({ id: 'Readiness' });

export const systemEndpoints = endpoints({
  health: {
    method: 'GET',
    path: '/health',
    summary: 'How the gateway is: 200 for ok and degraded, 503 with the same answer for unhealthy',
    access: 'open',
    answer: healthSchema,
  },
  ready: {
    method: 'GET',
    path: '/readyz',
    summary:
      'Whether it can serve: database read, written and migrated, or 503 with the same answer',
    access: 'open',
    answer: readinessSchema,
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary:
      'Metrics in the text format of Prometheus; to this machine and configured networks only',
    access: 'open',
    answer: z.string(),
    errors: ['not_found'],
  },
});
