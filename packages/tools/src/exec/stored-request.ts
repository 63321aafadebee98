/*
 * Everything needed to start a run, as JSON: a held run is started later, perhaps by another process, from exactly this.
 * It holds the whole plan, environment included, so that what starts is what was asked about: another process may have
 * another PATH.
 */
import { leftoversSchema, runExtrasFields } from '@clawdfather/protocol';
import type { RunRecord } from '@clawdfather/supervisor';
import { z } from 'zod';
import { ToolsError } from '../errors.ts';

const argv = z.tuple([z.string()], z.string());
const runAs = z.object({ uid: z.int(), gid: z.int(), groups: z.array(z.int()) });
const placeFields = {
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  /* Absent: as the user that starts it. */
  runAs: runAs.optional(),
} as const;

const commandSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('line'), shell: z.string(), line: z.string() }),
  z.object({ kind: z.literal('argv'), argv }),
]);

const requestSchema = z.object({
  version: z.literal(1),
  runId: z.string(),
  action: z.object({
    command: commandSchema,
    cwd: z.string(),
    envAdditions: z.record(z.string(), z.string()),
    stdin: z.string().optional(),
    host: z.string(),
    hostName: z.string().optional(),
    account: z.string(),
    runAs: z.string().optional(),
  }),
  spawn: z.discriminatedUnion('mode', [
    z.object({ mode: z.literal('child'), argv, ...placeFields }),
    z.object({
      mode: z.literal('pty'),
      ptyCommand: z.string(),
      shell: z.string(),
      ...placeFields,
    }),
    z.object({ mode: z.literal('pty-argv'), argv, ...placeFields }),
  ]),
  /* What is used instead when no terminal can be had. */
  withoutTerminal: z.object({ mode: z.literal('child'), argv, ...placeFields }).optional(),
  size: z.object({ cols: z.int(), rows: z.int() }),
  sessionId: z.string(),
  /* The session with its host; absent: whichever there is. */
  hostSession: z.string().optional(),
  requester: z.string(),
  labels: z.record(z.string(), z.string()).optional(),
  /* A person's wishes beside the command. */
  extras: z.object(runExtrasFields).optional(),
  /* Whose names its name must differ from; absent: the account. */
  nameOwner: z.string().optional(),
  /* Absent is none. */
  overallTimeoutMs: z.int().optional(),
  noOutputTimeoutMs: z.int().optional(),
  leftovers: leftoversSchema,
  stdin: z.string().optional(),
  isEof: z.boolean(),
  /* What a person decided that lets it start, as its label says it. */
  allowedBy: z.string().optional(),
  /* It starts in a shield, in which this directory of the session is there; absent: it has none. */
  shielded: z
    .object({
      tree: z.string().optional(),
      /* The way to an SSH host that is let in. */
      letIn: z
        .object({ directory: z.string(), environment: z.record(z.string(), z.string()) })
        .optional(),
    })
    .optional(),
  /* What it is confined to; absent for all that a person let start. */
  confine: z
    .object({
      grants: z.array(
        z.object({
          path: z.string(),
          access: z.enum(['read', 'execute', 'write']),
          isOptional: z.boolean(),
        }),
      ),
    })
    .optional(),
});

export type StoredRequest = Readonly<z.infer<typeof requestSchema>>;

export function deadlinesOfRequest({
  overallTimeoutMs,
  noOutputTimeoutMs,
}: StoredRequest): RunRecord['deadlines'] {
  return { overallMs: overallTimeoutMs, noOutputMs: noOutputTimeoutMs };
}

export function formatRequest(request: StoredRequest): string {
  return JSON.stringify(request);
}

/* Throws `approval-unusable`: it comes from a database that others can write to. */
export function parseRequest(text: string): StoredRequest {
  const parsed = requestSchema.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  throw new ToolsError('approval-unusable', 'the stored request cannot be read', {
    hint: 'It may be of another version; ask for the command again.',
    cause: parsed.error,
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    /* The schema refuses it and says so. */
    return undefined;
  }
}
