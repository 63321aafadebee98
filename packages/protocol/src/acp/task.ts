/*
 * A turn as JSON-RPC shows it: the running handle while it goes on, a snapshot at any time. "Task" is what the wire calls a turn.
 */
import { z } from 'zod';
import { artifactSyncStatusSchema } from '../api/artifacts.ts';
import { idSchema, timeSchema } from '../api/common.ts';
import { threadStatusSchema, turnStatusSchema } from '../api/threads.ts';

/* Where it stands among those that wait, and what it waits for. */
export const taskQueueSchema = z.object({
  /* From 1. */
  position: z.int(),
  ahead: z.int(),
  /* A code, such as `agent-lane-full`; and the same as a sentence. */
  reason: z.string(),
  message: z.string(),
});

const taskArtifactSchema = z.object({
  relativePath: z.string(),
  contentType: z.string(),
  sizeBytes: z.int(),
  sha256: z.string(),
  /* For 24 hours. Null: its bytes are kept no longer. */
  downloadUrl: z.string().nullable(),
});

const taskSyncSchema = z.object({
  status: artifactSyncStatusSchema,
  missing: z.array(z.object({ path: z.string(), reason: z.string() })),
});

export const taskResultSchema = z.object({
  /* What the agent has said; null where it is not asked for, as in lists. */
  output: z.string().nullable(),
  code: z.string(),
  error: z.string().nullable(),
  /* Why its agent ended, or why it was not started, where that ended it. */
  reason: z.string().nullable(),
  /* As of the turn: tells a turn that was interrupted from one that failed. */
  status: turnStatusSchema,
});

export const taskProgressSchema = z.object({
  /* `reaching`: the host of its agent does not answer, and is tried again. */
  stage: z.enum(['queued', 'starting', 'reaching', 'working', 'waiting', 'cancelling', 'ended']),
  message: z.string(),
  elapsedMs: z.int(),
});

export const taskSchema = z
  .object({
    ok: z.literal(true),
    turnId: idSchema,
    runId: z.string().nullable(),
    sessionId: z.string().nullable(),
    threadId: idSchema,
    status: turnStatusSchema,
    /* The number of the newest event of the thread. */
    lastSeq: z.int(),
    queue: taskQueueSchema.nullable(),
    queuedAt: timeSchema,
    startedAt: timeSchema.nullable(),
    deadlineAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
    loadClass: z.string(),
    progress: taskProgressSchema,
    /* Null until it has ended. */
    result: taskResultSchema.nullable(),
    artifacts: z.array(taskArtifactSchema),
    artifactSync: taskSyncSchema,
    /* How often, and until when (since 1970) it is worth asking again; null when it has ended. */
    poll: z.object({ intervalMs: z.int(), untilMs: z.int(), leftMs: z.int() }).nullable(),
  })
  .meta({ id: 'Task' });

export type Task = z.infer<typeof taskSchema>;

/* A result and not an error: who polls has to tell it from a gateway that cannot answer. */
export const taskNotFoundSchema = z
  .object({
    ok: z.literal(false),
    status: z.literal('not_found'),
    code: z.literal('ACP_SESSION_NOT_FOUND'),
    message: z.string(),
  })
  .meta({ id: 'TaskNotFound' });

export const rpcThreadSchema = z
  .object({
    threadId: idSchema,
    title: z.string(),
    agent: z.string(),
    connectionId: z.string().nullable(),
    workingDirectory: z.string(),
    sessionId: z.string().nullable(),
    lifecycleStatus: threadStatusSchema,
    lastSeq: z.int(),
    lastTurnId: z.string().nullable(),
    /* The turn that runs, else the first that waits. */
    pendingTurnId: z.string().nullable(),
    lastResultCode: z.string().nullable(),
    createdAt: timeSchema,
    updatedAt: timeSchema,
  })
  .meta({ id: 'RpcThread' });

export type RpcThread = z.infer<typeof rpcThreadSchema>;
