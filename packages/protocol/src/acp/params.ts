/*
 * What the methods are given, after older names were replaced (older-names.ts). Fields that are not known are ignored: clients send what
 * they have, such as `metadata`.
 */
import { z } from 'zod';
import { artifactDirsSchema } from '../api/artifacts.ts';
import { idSchema, labelSchema, lineSchema, messageIdSchema } from '../api/common.ts';
import { prioritySchema } from '../api/queue-place.ts';
import { loadClassSchema, threadStatusSchema, turnStatusSchema } from '../api/threads.ts';
import { renameCode } from './older-names.ts';

/*
 * A thread by its id, or by a key that the client has made itself: the first `session.start` with such a key makes the thread. A session
 * stands for its thread.
 */
const keySchema = lineSchema(200);

const threadRef = { threadId: keySchema.optional(), sessionId: keySchema.optional() } as const;

const seqSchema = z.int().min(0);

/* The body of a request has a bound of its own. */
const promptCharactersMax = 1_000_000;
const attachmentsMax = 64;

/* A content block of ACP, or a file as older clients send it. */
const attachmentSchema = z.union([
  z.looseObject({ type: z.string().min(1).max(64) }),
  z.object({
    name: lineSchema(1024),
    mimeType: lineSchema(256).default('application/octet-stream'),
    /* Base64. */
    content: z.base64(),
  }),
]);

/*
 * A choice by its category (api/choices.ts): what the agent of the thread is to have from the next turn on, also of one that waits. Nothing, in whichever way a client
 * says it, leaves it as it is.
 */
const choiceSchema = z
  .union([z.literal(''), lineSchema(256)])
  .nullish()
  .transform((value) => value || undefined);

const messageParams = {
  ...threadRef,
  taskPrompt: z.string().min(1).max(promptCharactersMax).optional(),
  attachments: z.array(attachmentSchema).max(attachmentsMax).default([]),
  model: choiceSchema,
  mode: choiceSchema,
  loadClass: loadClassSchema.default('long_task'),
  /* Where files are looked for at the end, below the thread's directory. Absent: the usual places. */
  expectedArtifactDirs: artifactDirsSchema.optional(),
  /* Higher ones come first among yours; 0 is usual. */
  priority: prioritySchema.optional(),
  notBefore: z.iso.datetime().optional(),
  /* Sent again with the same key it is the same turn. */
  idempotencyKey: messageIdSchema.optional(),
  /* In a stream: updates after this number. */
  lastSeq: seqSchema.optional(),
} as const;

function saysSomething({
  taskPrompt,
  attachments,
}: {
  readonly taskPrompt?: unknown;
  readonly attachments: readonly unknown[];
}): boolean {
  return taskPrompt !== undefined || attachments.length > 0;
}
const somethingToSay = { message: 'give a taskPrompt or attachments' };

export const startParams = z
  .object({
    ...messageParams,
    agent: lineSchema(64).optional(),
    connectionId: idSchema.nullable().default(null),
    workingDirectory: lineSchema(4_096).optional(),
    title: labelSchema.optional(),
  })
  .refine(saysSomething, somethingToSay);

export const messageOfThreadParams = z.object(messageParams).refine(saysSomething, somethingToSay);

export const noParams = z.object({});

export const threadParams = z.object(threadRef);

export const cancelParams = z.object({ ...threadRef, turnId: keySchema.optional() });

export const getTaskParams = z.object({
  ...threadRef,
  turnId: keySchema.optional(),
  runId: lineSchema(64).optional(),
  includeArtifacts: z.boolean().default(true),
  /* In a stream: updates after this number, until the turn has ended. */
  lastSeq: seqSchema.optional(),
});

const limitSchema = z.int().min(1).max(100).default(20);
const offsetSchema = z.int().min(0).max(1_000_000).default(0);

export const listTasksParams = z.object({
  ...threadRef,
  status: turnStatusSchema.optional(),
  code: lineSchema(64).transform(renameCode).optional(),
  limit: limitSchema,
});

export const queueParams = z.object({ lane: lineSchema(64).optional() });

export const listThreadsParams = z.object({
  status: threadStatusSchema.optional(),
  includeArchived: z.boolean().default(false),
  limit: limitSchema,
  offset: offsetSchema,
});

export const respondParams = z
  .object({
    ...threadRef,
    requestId: lineSchema(64),
    optionId: z.string().min(1).max(256).optional(),
    /* Of a question. */
    content: z.record(z.string(), z.unknown()).optional(),
    decision: z.enum(['cancel', 'decline']).optional(),
  })
  .refine(
    ({ optionId, content, decision }) =>
      [optionId, content, decision].filter((one) => one !== undefined).length === 1,
    { message: 'give one of optionId, content and decision' },
  );
