/*
 * What the commands about SSH hosts, their keys and sessions print with --json. Part of cli-shapes.ts, and under the same promise.
 */
import { z } from 'zod';

const instant = z.iso.datetime();
const fingerprint = z.string().describe('`SHA256:…`, as `ssh-keygen -l` shows it');
const hostKey = z.string().nullable();

const host = z.object({
  id: z.string(),
  name: z.string(),
  host: z.string(),
  port: z.int(),
  username: z.string(),
  keyId: z.string(),
  nextKeyId: z.string().nullable().describe('while its key is rotated: the new one'),
  policy: z.enum(['ask', 'full']).describe('what agents may do there'),
  hostKeyFingerprint: hostKey.describe('of the key that is trusted; null: none yet'),
  lastTest: z
    .object({
      result: z.string().describe('as of [host-test](#host-test)'),
      cause: z.string().nullable().describe('why it failed, in one word'),
      latencyMs: z.number().nullable(),
      at: instant,
    })
    .nullable(),
  createdAt: instant,
});

export const hostShapes = {
  host,
  'host-added': z.object({
    host,
    keyId: z.string(),
    installCommand: z.string().describe('to be run on the host, once'),
    isProven: z.literal(false).describe('the next step is `clf host test`'),
  }),
  'host-test': z.object({
    name: z.string(),
    result: z.enum(['ok', 'failed', 'timeout', 'host_key_unknown', 'host_key_changed']),
    cause: z.string().nullable().describe('why it failed, in one word'),
    message: z.string(),
    latencyMs: z.number().nullable(),
    hostKeyFingerprint: hostKey.describe('of the key that the host showed'),
    pinnedFingerprint: hostKey.describe('of the key that is trusted'),
    keyId: z.string().nullable().describe('the key that the host let in'),
  }),
  'removed-host': z.object({ id: z.string(), name: z.string(), removed: z.literal(true) }),
  key: z.object({
    id: z.string(),
    label: z.string(),
    status: z
      .enum(['active', 'rotated', 'revoked'])
      .describe('`rotated`: hosts on which its successor is not proven still use it'),
    publicKey: z.string().describe('a line of `authorized_keys`'),
    fingerprint,
    rotatedToId: z.string().nullable(),
    hosts: z.array(z.string()).describe('names of hosts that it is for'),
    createdAt: instant,
  }),
  'install-command': z.object({
    id: z.string(),
    command: z.string(),
    publicKey: z.string(),
    fingerprint,
  }),
  'rotated-key': z.object({
    id: z.string().describe('of the new one'),
    label: z.string(),
    fingerprint,
    oldId: z.string(),
    hosts: z.array(z.string()).describe('on which it is to be installed and tested'),
  }),
  'rotated-master-key': z.object({
    id: z.string().describe('of the new one; says nothing about the key'),
    previous: z.array(z.string()),
    directory: z.string(),
  }),
  'revoked-key': z.object({ id: z.string(), label: z.string(), revoked: z.literal(true) }),
  session: z.object({
    id: z.string(),
    status: z.enum(['pending', 'active', 'closed', 'error']),
    host: z.string().nullable().describe('its name; null: the gateway’s own machine'),
    agent: z.string().nullable(),
    createdAt: instant,
    startedAt: instant.nullable(),
    lastSeenAt: instant,
    closedAt: instant.nullable(),
    closeReason: z.enum(['user', 'timeout', 'error', 'server_closed', 'key_revoked']).nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  }),
};
