/*
 * Conversations with agents: threads, their turns, what is said in them, and what agents ask.
 */
import { z } from 'zod';
import {
  digestSchema,
  hourMs,
  idParams,
  idSchema,
  labelSchema,
  lineSchema,
  messageIdSchema,
  pageOf,
  pageQuery,
  timeSchema,
} from './common.ts';
import { artifactDirsSchema, artifactSyncSchema } from './artifacts.ts';
import {
  changedChosenSchema,
  chosenSchema,
  currentChoiceSchema,
  offeredAnswer,
} from './choices.ts';
import { endpoints } from './endpoint.ts';
import { prioritySchema, queuePlaceSchema } from './queue-place.ts';

/* A proxy's usual patience is 60 s. */
const waitMsMax = 55_000;
const eventsMax = 500;
/* A prompt with pictures; the body of a request has a bound of its own. */
const promptCharactersMax = 1_000_000;
const blocksMax = 64;

export const threadStatusSchema = z.enum(['ready', 'queued', 'running', 'archived']);
export const turnStatusSchema = z.enum([
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
]);
export const loadClassSchema = z.enum(['short_task', 'long_task', 'complex_chain_task']);

/* Whose a session of an agent is. The key of a session is the id of its thread. */
export const ownershipFields = {
  session_key: idSchema,
  agent_id: z.string(),
  /* How its agent is spoken to. */
  backend: z.string(),
  /* Itself, where a person began it. */
  owner_session_key: z.string(),
  /* The session whose agent asked for it. */
  spawned_by: z.string().nullable(),
  parent_session_key: z.string().nullable(),
  /* Its parent, the parent of that, and so on, the first one first. */
  ancestor_session_keys: z.array(z.string()),
  /* The gateway that made it. */
  gateway_instance_id: z.string(),
};

export const threadSchema = z
  .object({
    id: idSchema,
    title: z.string(),
    agent: z.string(),
    status: threadStatusSchema,
    /* The id of a connection; null: the gateway's own machine. */
    connection_id: z.string().nullable(),
    directory: z.string(),
    session_id: z.string().nullable(),
    /* The number of its newest event. */
    last_seq: z.int(),
    /* Up to which event you have looked at it, on any device; unread while it is below `last_seq`. */
    seen_seq: z.int(),
    /* Since when you have it pinned, on all devices. Absent: an older gateway. */
    pinned_at: timeSchema.nullable().optional(),
    /* What you want of its agent, by choice. Absent: an older gateway. */
    chosen: chosenSchema.optional(),
    /* How its agent stands, as it last said. Absent: an older gateway. */
    current_choices: z.array(currentChoiceSchema).optional(),
    last_turn_id: z.string().nullable(),
    last_result_code: z.string().nullable(),
    ...ownershipFields,
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'Thread' });

export const turnSchema = z
  .object({
    id: idSchema,
    thread_id: idSchema,
    /* The sender's own id of the message that it answers, where it was given one. Absent: an older gateway. */
    client_message_id: z.string().nullable().optional(),
    status: turnStatusSchema,
    run_id: z.string().nullable(),
    queued_at: timeSchema,
    started_at: timeSchema.nullable(),
    deadline_at: timeSchema.nullable(),
    ended_at: timeSchema.nullable(),
    cancel_asked_at: timeSchema.nullable(),
    priority: prioritySchema,
    not_before: timeSchema.nullable(),
    /* Where it stands while it waits. */
    queue: queuePlaceSchema.nullable(),
    /* What it says, while it waits. Null: it does not wait, or is long, or is more than text. Absent: an older gateway. */
    waiting_text: z.string().nullable().optional(),
    /* How to ask after it for those who lost sight of it. Null: it has ended. Absent: an older gateway. */
    poll: z
      .object({
        interval_ms: z.int(),
        /* After it there is nothing to wait for. It grows with each answer until the turn has a deadline. */
        until: timeSchema,
        /* From this answer until then, for clients whose clock is wrong. Absent: an older gateway. */
        left_ms: z.int().optional(),
      })
      .nullable()
      .optional(),
    /* The host of its agent does not answer, and is tried again. Null: nothing is waited for. Absent: an older gateway. */
    reaching: z
      .object({
        cause: z.string(),
        message: z.string(),
        since: timeSchema,
        tries: z.int(),
        next_try_at: timeSchema,
      })
      .nullable()
      .optional(),
    result: z
      .object({
        code: z.string(),
        stop_reason: z.string().nullable(),
        message: z.string().nullable(),
        /* Why its agent ended, where that ended it. */
        cause: z.string().nullable(),
      })
      .nullable(),
    usage: z.record(z.string(), z.unknown()).nullable(),
    artifact_sync: artifactSyncSchema,
  })
  .meta({ id: 'Turn' });

export const threadEventSchema = z
  .object({
    seq: z.int(),
    turn_id: z.string().nullable(),
    type: z.enum([
      'status',
      'delta',
      'message',
      'tool',
      'plan',
      'usage',
      'approval',
      'question',
      'artifact',
      'noise',
    ]),
    payload: z.record(z.string(), z.unknown()),
    at: timeSchema,
  })
  .meta({ id: 'ThreadEvent' });

const answerKinds = [
  'allow_once',
  'allow_always',
  'reject_once',
  'reject_always',
  'other',
  'accept',
  'decline',
  'cancel',
] as const;

export const askSchema = z
  .object({
    id: idSchema,
    thread_id: idSchema,
    turn_id: z.string().nullable(),
    agent: z.string(),
    /* A permission is answered with one of its options, a question with a form. An effect is a file or a terminal on the agent's host. */
    class: z.enum(['permission', 'question', 'effect']),
    state: z.enum(['open', 'acting', 'answered', 'withdrawn', 'void']),
    title: z.string(),
    options: z.array(z.object({ option_id: z.string(), name: z.string(), kind: z.string() })),
    /* As the agent sent it. */
    params: z.record(z.string(), z.unknown()),
    /* Of all of it: an answer may name what it is an answer to. */
    digest: digestSchema,
    asked_at: timeSchema,
    decided_by: z.string().nullable(),
    decided_at: timeSchema.nullable(),
    /*
     * What the answer comes to: the kind of the option that was chosen (`other`: one that is not known), or what was done with a
     * question. Null: nobody has answered. Absent: an older gateway.
     */
    answer_kind: z.enum(answerKinds).nullable().optional(),
  })
  .meta({ id: 'Ask' });

/* As many as a person adds to one prompt. */
const attachmentsMax = 16;

export const promptTextSchema = z.string().min(1).max(promptCharactersMax);
export const promptBlocksSchema = z
  .array(z.looseObject({ type: z.string() }))
  .min(1)
  .max(blocksMax);

const promptFields = {
  /* Plain text, or ACP content blocks. */
  text: promptTextSchema.optional(),
  blocks: promptBlocksSchema.optional(),
  /* Ids of uploads that are whole: the agent gets links to files that it can read. */
  attachments: z.array(idSchema).max(attachmentsMax).optional(),
  load_class: loadClassSchema.default('long_task'),
  /* Where files are expected at the end, below the thread's directory. Absent: the usual places. */
  expected_artifact_dirs: artifactDirsSchema.optional(),
  /* The same one twice is one turn; with another message it is refused. */
  client_message_id: messageIdSchema.optional(),
  /* Higher ones come first among yours; 0 is usual. */
  priority: prioritySchema.optional(),
  not_before: timeSchema.optional(),
  /* For its agent, with this message: where that is refused, nothing is chosen. Null: the agent's own choice. */
  chosen: changedChosenSchema.optional(),
};

function hasOnePrompt({ text, blocks }: { text?: unknown; blocks?: unknown }): boolean {
  return (text === undefined) !== (blocks === undefined);
}
const onePrompt = { message: 'give either text or blocks' };

const threadAnswer = z.object({ thread: threadSchema });
const turnAnswer = z.object({ turn: turnSchema });

export const threadsEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/threads',
    summary: 'Your conversations with agents, newest first',
    access: 'read',
    query: pageQuery.extend({
      status: threadStatusSchema.optional(),
      id_prefix: z
        .string()
        .regex(/^[0-9a-z]{1,16}$/)
        .optional(),
      archived: z.enum(['true', 'false']).default('false'),
      pinned: z.enum(['true', 'false']).default('false').describe('true: only pinned ones'),
    }),
    answer: pageOf(threadSchema),
  },
  create: {
    method: 'POST',
    path: '/api/v1/threads',
    summary:
      'Begin a conversation with an agent. With an Idempotency-Key a resend answers with the same one',
    access: 'run',
    body: z.strictObject({
      /* Absent: the default agent. */
      agent: lineSchema(64).optional(),
      connection_id: idSchema.nullable().default(null),
      /* Absent: the usual directory. */
      directory: lineSchema(4_096).optional(),
      title: labelSchema.optional(),
      /* For its agent, set before the first turn: by the id or the category of a choice. */
      chosen: chosenSchema.optional(),
    }),
    answer: threadAnswer,
    status: 201,
    errors: ['not_found', 'forbidden', 'agent_spawn_failed', 'unsupported', 'key_reused'],
    limit: { hitsMax: 600, windowMs: hourMs, per: 'account' },
  },
  get: {
    method: 'GET',
    path: '/api/v1/threads/:id',
    summary: 'One conversation, with its turns',
    access: 'read',
    params: idParams,
    answer: z.object({ thread: threadSchema, turns: z.array(turnSchema) }),
    errors: ['not_found'],
  },
  events: {
    method: 'GET',
    path: '/api/v1/threads/:id/events',
    summary:
      'What happened in it after a number: a page, which waits for the first event if asked to; or with Accept: text/event-stream everything as it comes, resumed by Last-Event-ID',
    access: 'read',
    params: idParams,
    query: z.strictObject({
      after: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(1).max(eventsMax).default(100),
      wait_ms: z.coerce.number().int().min(0).max(waitMsMax).default(0),
    }),
    answer: z.object({ items: z.array(threadEventSchema), last_seq: z.int() }),
    errors: ['not_found'],
    takesLong: true,
  },
  prompt: {
    method: 'POST',
    path: '/api/v1/threads/:id/turns',
    summary: 'Say something to the agent: a turn, which waits until those before it have ended',
    access: 'run',
    params: idParams,
    body: z.strictObject(promptFields).refine(hasOnePrompt, onePrompt),
    answer: turnAnswer,
    status: 202,
    errors: [
      'not_found',
      'forbidden',
      'thread_archived',
      'queue_full',
      'key_reused',
      'storage_full',
    ],
    limit: { hitsMax: 2_000, windowMs: hourMs, per: 'account' },
  },
  archive: {
    method: 'POST',
    path: '/api/v1/threads/:id/archive',
    summary: 'Put a conversation away: its agent ends, and nothing more can be said in it',
    access: 'run',
    params: idParams,
    answer: threadAnswer,
    errors: ['not_found', 'still_running'],
  },
  unarchive: {
    method: 'POST',
    path: '/api/v1/threads/:id/unarchive',
    summary: 'Take a conversation back that was put away: it goes on with the next prompt',
    access: 'run',
    params: idParams,
    answer: threadAnswer,
    errors: ['not_found'],
  },
  edit: {
    method: 'PATCH',
    path: '/api/v1/threads/:id',
    summary:
      'Call a conversation something else, pin it for all your devices, or choose a mode or a model of its agent, which is set before the next turn',
    access: 'run',
    params: idParams,
    body: z.strictObject({
      title: labelSchema.optional(),
      is_pinned: z.boolean().optional(),
      /* Null: the agent's own choice. */
      chosen: changedChosenSchema.optional(),
    }),
    answer: threadAnswer,
    errors: ['not_found', 'forbidden'],
  },
  choices: {
    method: 'GET',
    path: '/api/v1/threads/:id/choices',
    summary:
      'What its agent lets you choose: of the session that it has, else the last of this agent',
    access: 'read',
    params: idParams,
    answer: offeredAnswer,
    errors: ['not_found'],
  },
});

export const turnsEndpoints = endpoints({
  get: {
    method: 'GET',
    path: '/api/v1/turns/:id',
    summary: 'One turn',
    access: 'read',
    params: idParams,
    answer: turnAnswer,
    errors: ['not_found'],
  },
  cancel: {
    method: 'POST',
    path: '/api/v1/turns/:id/cancel',
    summary: 'Ask the agent to stop; the agent itself goes on. Cancelling twice is harmless',
    access: 'run',
    params: idParams,
    /* False: it had ended, or was cancelled before. */
    answer: z.object({ accepted: z.boolean(), turn: turnSchema }),
    errors: ['not_found'],
  },
});

export const asksEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/asks',
    summary:
      'What agents wait for you to answer, oldest first; or all that they have asked, the newest 1,000',
    access: 'read',
    query: z.object({ state: z.enum(['open', 'all']).default('open') }),
    answer: z.object({ items: z.array(askSchema) }),
  },
  get: {
    method: 'GET',
    path: '/api/v1/asks/:id',
    summary: 'One of them',
    access: 'read',
    params: idParams,
    answer: askSchema,
    errors: ['not_found'],
  },
  answer: {
    method: 'POST',
    path: '/api/v1/asks/:id',
    summary: 'Answer it: by an option, by a form, or not at all. Answered once',
    access: 'approve',
    params: idParams,
    body: z.union([
      z.strictObject({ option_id: z.string().min(1).max(256), digest: digestSchema.optional() }),
      z.strictObject({ content: z.record(z.string(), z.json()), digest: digestSchema.optional() }),
      z.strictObject({ action: z.enum(['decline', 'cancel']), digest: digestSchema.optional() }),
    ]),
    answer: askSchema,
    errors: ['not_found', 'already_decided', 'changed', 'option_not_offered'],
  },
});
