/*
 * What the commands around a gateway print with --json. Part of cli-shapes.ts, and under the same promise.
 */
import { z } from 'zod';
import { scopeSchema } from './api/common.ts';

const instant = z.iso.datetime();
const count = z.int();
const url = z.string().describe('the gateway’s address');
const unit = z.string().describe('the file of the unit');
const unitScope = z.enum(['user', 'system']);

const tokenFields = {
  id: z.string(),
  label: z.string(),
  scopes: z.array(scopeSchema),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  expiresAt: instant.describe('moves on with use'),
};

export const gatewayShapes = {
  serving: z.object({
    url,
    publicUrl: z.string().nullable().describe('what people use, where it is another one'),
    loginLink: z
      .string()
      .nullable()
      .describe('signs in once, within ten minutes; null where stdout is a journal'),
    pid: count,
    stateDir: z.string(),
  }),
  gateway: z.object({
    gateway: z
      .enum(['none', 'running', 'stale', 'elsewhere'])
      .describe('`stale`: it ended without saying so; `elsewhere`: in another container'),
    isReady: z.boolean(),
    stateDir: z.string(),
    url: z.string().nullable(),
    publicUrl: z.string().nullable(),
    pid: count.nullable(),
    version: z.string().nullable(),
    database: z.enum(['sqlite', 'postgres']).nullable(),
    startedAt: instant.nullable(),
    uptimeMs: z.number().nullable(),
    liveRuns: count.describe('of this machine, whoever started them'),
    health: z
      .object({
        status: z.string().describe('`ok`, `degraded` or `unhealthy`'),
        checks: z.record(z.string(), z.string()),
        counts: z.record(z.string(), z.number()).describe('sessions, sockets and the like'),
      })
      .nullable()
      .describe('null when it does not answer'),
  }),
  stopped: z.object({
    stopped: z.literal(true),
    url,
    pid: count,
    closedSessions: count.describe('with `--close-sessions`'),
  }),
  service: z.object({
    unit,
    scope: unitScope,
    state: z.string().describe('as `systemctl is-active` says it, or `absent`'),
    problems: z.array(z.string()).describe('what would end runs at a stop or an upgrade'),
  }),
  'service-installed': z.object({
    unit,
    scope: unitScope,
    isStarted: z.boolean(),
    advice: z.string().nullable(),
  }),
  'service-removed': z.object({ unit, scope: unitScope, isRemoved: z.boolean() }),
  'signed-in': z.object({
    name: z.string().describe('what `-g` may say'),
    url,
    account: z.string(),
    expiresAt: instant,
    isDefault: z.boolean().describe('commands are about its runs from now on'),
  }),
  'login-link': z.object({ loginLink: z.string() }),
  'signed-out': z.object({
    name: z.string(),
    url,
    isRevoked: z.boolean().describe('false: the gateway did not answer; it is only forgotten here'),
  }),
  token: z.object(tokenFields),
  'new-token': z.object({ ...tokenFields, token: z.string().describe('shown this once') }),
  'revoked-token': z.object({ id: z.string(), label: z.string(), revoked: z.literal(true) }),
  device: z.object({
    id: z.string(),
    device: z.string().describe('what it calls itself'),
    isCurrent: z.boolean().describe('the one that asks'),
    createdAt: instant,
    lastUsedAt: instant,
    expiresAt: instant,
  }),
  'revoked-devices': z.object({ revoked: count }),
  inbox: z.object({
    seq: count.describe('what happens after it is in the events of the account'),
    needsYou: count,
    done: count.describe('and not looked at'),
    working: count,
    waiting: count,
  }),
  'inbox-item': z.object({
    group: z.string(),
    id: z.string().describe('of the approval, the question, the turn or the host'),
    title: z.string(),
    since: instant.nullable(),
    agent: z.string().nullable(),
    threadId: z.string().nullable(),
    next: z.string().nullable().describe('the command that goes on with it'),
  }),
  notice: z.object({
    id: z.string(),
    class: z.string(),
    threadId: z.string().nullable(),
    about: z.string(),
    createdAt: instant,
    seenAt: instant.nullable(),
    resolvedAt: instant.nullable(),
    resolution: z.string().nullable().describe('why it wants nothing more'),
    deliveries: z.array(
      z.object({
        channel: z.string(),
        state: z.string(),
        attempts: count,
        reason: z.string().nullable(),
      }),
    ),
  }),
  'notice-test': z.object({
    channel: z.string(),
    outcome: z.enum(['sent', 'failed']),
    reason: z.string().nullable(),
    durationMs: count,
  }),
  'audit-entry': z.object({
    seq: count.describe('without gaps'),
    at: instant,
    action: z.string(),
    actor: z.string(),
    target: z.string().nullable(),
    ip: z.string().nullable(),
    traceId: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  }),
  backup: z.object({
    path: z.string(),
    bytes: count,
    keysPath: z.string().nullable().describe('of the master keys, with `--with-keys`'),
  }),
  'backup-check': z.object({
    path: z.string(),
    isSound: z.boolean(),
    problems: z.array(z.string()),
    migrations: z.string().describe('`current`, `pending` (an older version’s), `newer`, …'),
  }),
  restored: z.object({
    path: z.string(),
    database: z.string(),
    keptPath: z.string().nullable().describe('where the one before it lies now'),
    keysPlaced: z.array(z.string()).describe('files of master keys that were put in place'),
    keysMissing: z
      .array(z.string())
      .describe('ids of master keys that the database was used with and that are not here'),
  }),
} as const;
