/*
 * SSH connections, and the grammars of host and user.
 *
 * ssh reads both in places where its own guards do not look, such as a configuration file. So they are made of letters, digits
 * and a few signs that mean nothing to ssh, a shell or a file name, and never begin with a sign. A host of digits has to be an
 * address in its usual form: resolvers also take `127.1`, `2130706433` and `0x7f000001` for loopback.
 */
import { z } from 'zod';
import {
  hourMs,
  idParams,
  idSchema,
  labelSchema,
  minuteMs,
  pageOf,
  pageQuery,
  timeSchema,
} from './common.ts';
import { endpoints } from './endpoint.ts';

/* More than a person adds by hand, fewer than a loop that looks for hosts. */
const limit = {
  hitsMax: 20,
  windowMs: hourMs,
  per: 'account',
  setting: 'hostChangesPerHour',
} as const;

/* RFC 1035: a name has 253 characters, a label 63. Underscores are no part of it, and are in use. */
const hostCharactersMax = 253;
const hostLabel = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/;
const numberLabel = /^(?:[0-9]+|0x[0-9a-f]*)$/;
const ipv4Part = /^(?:0|[1-9][0-9]{0,2})$/;

function isHostName(host: string): boolean {
  if (host.length > hostCharactersMax) return false;
  // Without a zone (`%eth0`): `%` means something to ssh.
  if (host.includes(':')) return z.ipv6().safeParse(host).success;
  const labels = host.split('.');
  if (!labels.every((label) => hostLabel.test(label))) return false;
  return numberLabel.test(labels.at(-1) ?? '') ? isIpv4(labels) : true;
}

function isIpv4(parts: readonly string[]): boolean {
  return parts.length === 4 && parts.every((part) => ipv4Part.test(part) && Number(part) <= 255);
}

const hostSchema = z
  .string()
  .min(1)
  .max(hostCharactersMax)
  .toLowerCase()
  .refine(isHostName, 'is no host name and no address')
  .meta({ description: 'A host name, an IPv4 address or an IPv6 address without brackets' });

/* Longer than the 32 of Linux, for directory users. */
const usernameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/, 'is no user name')
  .meta({ description: 'Letters, digits, `_`, `.` and `-`' });

const portSchema = z.int().min(1).max(65_535);

const policySchema = z.enum(['ask', 'full']);

const connectionSchema = z
  .object({
    id: idSchema,
    label: z.string(),
    host: z.string(),
    port: z.int(),
    username: z.string(),
    keypair_id: idSchema,
    /* While its key is being rotated: the new one, which a test has yet to prove on this host. */
    next_keypair_id: idSchema.nullable(),
    /* What agents may do there: `ask` as everywhere, `full`: nothing that runs there is asked about. */
    policy: policySchema,
    /* Of the host's key that was accepted; null before. */
    host_key_fingerprint: z.string().nullable(),
    last_test: z
      .object({
        result: z.string(),
        /* Why it failed, in one word; null also for tests of older gateways. */
        cause: z.string().nullable(),
        latency_ms: z.int().nullable(),
        at: timeSchema,
      })
      .nullable(),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'Connection' });

/* As `ssh-keygen -l` shows it. */
const fingerprintSchema = z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'is no fingerprint');

const testResults = ['ok', 'failed', 'timeout', 'host_key_unknown', 'host_key_changed'] as const;

const connectionAnswer = z.object({ connection: connectionSchema });

const fields = {
  label: labelSchema,
  host: hostSchema,
  username: usernameSchema,
  keypair_id: idSchema,
};

export const connectionsEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/connections',
    summary: 'Your connections, newest first',
    access: 'read',
    query: pageQuery,
    answer: pageOf(connectionSchema),
  },
  get: {
    method: 'GET',
    path: '/api/v1/connections/:id',
    summary: 'One connection',
    access: 'read',
    params: idParams,
    answer: connectionAnswer,
    errors: ['not_found'],
  },
  create: {
    method: 'POST',
    path: '/api/v1/connections',
    summary: 'Add a connection',
    access: 'admin',
    body: z.strictObject({ ...fields, port: portSchema.default(22) }),
    answer: connectionAnswer,
    status: 201,
    errors: ['label_exists'],
    limit,
  },
  update: {
    method: 'PATCH',
    path: '/api/v1/connections/:id',
    summary: 'Change a connection; another host or port clears its pin and its test',
    access: 'admin',
    params: idParams,
    body: z.strictObject({ ...fields, port: portSchema }).partial(),
    answer: connectionAnswer,
    errors: ['not_found', 'label_exists', 'active_session_exists'],
    limit,
  },
  setPolicy: {
    method: 'POST',
    path: '/api/v1/connections/:id/policy',
    summary:
      'Say what agents may do on a host; only for people. Another host, user or host key brings `ask` back',
    access: 'person',
    params: idParams,
    body: z.strictObject({ policy: policySchema }),
    answer: connectionAnswer,
    errors: ['not_found'],
    limit,
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/connections/:id',
    summary: 'Delete a connection',
    access: 'admin',
    params: idParams,
    errors: ['not_found', 'active_session_exists'],
    limit,
  },
  probe: {
    method: 'POST',
    path: '/api/v1/connections/probe',
    summary: 'Whether an SSH server answers at an address; nothing is stored',
    access: 'admin',
    body: z.strictObject({ host: hostSchema, port: portSchema.default(22) }),
    answer: z.object({
      status: z.enum(['connectable', 'dns_fail', 'port_fail', 'ssh_fail']),
      latency_ms: z.int().nullable(),
    }),
    errors: ['host_not_allowed'],
    limit: { hitsMax: 30, windowMs: hourMs, per: 'account', setting: 'hostProbesPerHour' },
    needsTime: true,
  },
  test: {
    method: 'POST',
    path: '/api/v1/connections/:id/test',
    summary: 'Log in once with the key; with `accept_host_key`, trust the key that the host shows',
    access: 'admin',
    params: idParams,
    body: z.strictObject({
      accept_host_key: z.boolean().default(false),
      /* Accept this one and no other: the one that a person has seen. */
      host_key_fingerprint: fingerprintSchema.optional(),
    }),
    answer: z.object({
      result: z.enum(testResults),
      latency_ms: z.int().nullable(),
      /* Of the key that the host showed. */
      host_key_fingerprint: z.string().nullable(),
      message: z.string(),
      /* Why it failed, in one word. */
      cause: z.string().nullable(),
      /* The key that the host let in; null unless the result is `ok`. */
      keypair_id: idSchema.nullable(),
      connection: connectionSchema,
    }),
    /* `host_key_changed` has `old_fingerprint` and `new_fingerprint` in its detail. */
    errors: ['not_found', 'host_key_changed', 'keypair_revoked', 'host_not_allowed'],
    /* A failed login may count against us on the host. */
    limit: { hitsMax: 5, windowMs: minuteMs, per: 'connection', setting: 'hostTestsPerMinute' },
    needsTime: true,
  },
});
