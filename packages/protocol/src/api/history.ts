/*
 * Reading a thread back: its newest page first, then backwards.
 */
import { z } from 'zod';
import { idParams, idSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

/* Of one page; it ends earlier when it is full. */
const pageEventsMax = 2_000;
const minuteMs = 60_000;
const seqMax = Number.MAX_SAFE_INTEGER;
/* Of one answer, in characters. */
const pieceMax = 262_144;

const facts = z.record(z.string(), z.unknown());
const role = z.enum(['agent', 'thought', 'user']);

const placed = {
  turn_id: z.string().nullable(),
  first_seq: z.int(),
  last_seq: z.int(),
  at: timeSchema,
  last_at: timeSchema,
  /* Events of which it shows only a part, with the size of their whole payload as JSON. */
  cut: z.array(z.object({ seq: z.int(), bytes: z.int() })),
};

export const blockSchema = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('text'),
      ...placed,
      role,
      message_id: z.string().nullable(),
      text: z.string(),
      is_complete: z
        .boolean()
        .describe('false: still being written, or its end is on a newer page'),
      begins_seq: z.int().nullable().describe('its first event, perhaps on an older page'),
      bytes: z.int().nullable().describe('of all of it, as UTF-8'),
      sha256: z.string().nullable(),
    }),
    z.object({ kind: z.literal('user'), ...placed, content: z.array(z.unknown()) }),
    z.object({ kind: z.literal('content'), ...placed, role, content: z.unknown() }),
    z.object({
      kind: z.literal('tool'),
      ...placed,
      tool_call_id: z.string(),
      call: facts.describe('of each member the newest'),
      is_begun: z.boolean().describe('false: its beginning is on an older page'),
      updates: z.int(),
    }),
    z.object({ kind: z.literal('plan'), ...placed, plan: facts, updates: z.int() }),
    z.object({ kind: z.literal('event'), ...placed, type: z.string(), payload: facts }),
  ])
  .meta({ id: 'Block' });

export const seqRangeSchema = z.object({ from: z.int(), to: z.int() });

const threadStatus = z.enum(['ready', 'queued', 'running', 'archived']);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const changedFileSchema = z
  .object({
    /* Its place in the list, by which its hunks are asked for. */
    n: z.int(),
    /* As seen from the thread's directory; hidden characters by their code. */
    path: z.string(),
    is_new: z.boolean(),
    is_done: z.boolean().describe('false: the tool has not said that it is done'),
    edits: z.int(),
    last_seq: z.int(),
    kind: z
      .enum(['text', 'binary', 'too_large', 'not_counted'])
      .describe('`not_counted`: there was no time left to compare it'),
    added: z.int().nullable(),
    removed: z.int().nullable(),
    bytes: z.int().nullable().describe('of one that is not shown as text'),
    sha256: z.string().nullable(),
  })
  .meta({ id: 'ChangedFile' });

const hunkSchema = z.object({
  /* Which of the file's edits it is of: line numbers of each are its own. */
  edit: z.int(),
  old_start: z.int(),
  old_lines: z.int(),
  new_start: z.int(),
  new_lines: z.int(),
  /* Each with its sign: a space, `-` or `+`. */
  lines: z.array(z.string()),
});

export const receiptSchema = z
  .object({
    thread_id: idSchema,
    since: z.int(),
    /* The last event that it covers; more than it can cover are in the next receipt, since this number. */
    through: z.int(),
    newest_seq: z.int(),
    is_complete: z.boolean(),
    /* Of the event that it begins after; null where there is none. */
    since_at: timeSchema.nullable(),
    last_at: timeSchema.nullable(),
    now: timeSchema,
    away_ms: z.int().nullable().describe('from `since_at` to now'),
    events: z.int(),
    bytes: z.int().describe('of these events, as canonical JSON'),
    checksum: sha256.describe('the last link of their chain; docs/threads.md says how to make it'),
    missing: z.array(seqRangeSchema).describe('numbers that are not in the database'),
    gateways: z
      .array(
        z.object({
          instance_id: z.string(),
          starts: z.int(),
          first_generation: z.int(),
          last_generation: z.int(),
          last_started_at: timeSchema,
        }),
      )
      .describe('those that started meanwhile'),
    files: z.array(changedFileSchema.omit({ n: true })),
    files_total: z.int(),
    added: z.int(),
    removed: z.int(),
    files_are_partial: z.boolean().describe('some were too large to compare'),
    decisions: z.array(
      z.object({
        seq: z.int(),
        ask_id: z.string(),
        turn_id: z.string().nullable(),
        class: z.enum(['approval', 'question']),
        answer: z.string().describe('the option that was taken, or how it was answered'),
        by: z.string(),
        by_name: z.string().nullable().describe('as people call it'),
        at: timeSchema,
      }),
    ),
    decisions_total: z.int(),
    turns: z.array(
      z.object({
        turn_id: z.string(),
        status: z.string(),
        code: z.string().nullable(),
        cause: z.string().nullable(),
        ended_at: timeSchema,
      }),
    ),
    turns_total: z.int(),
    state: z.object({
      status: threadStatus,
      running_turn_id: z.string().nullable(),
      waiting_turns: z.int(),
      open_asks: z.int(),
    }),
  })
  .meta({ id: 'Receipt' });

const verifiedRunSchema = z.object({
  run_id: z.string(),
  outcome: z.enum(['same', 'differs', 'not_comparable']),
  reason: z
    .enum([
      'forgotten',
      'collected',
      'trimmed',
      'damaged',
      'another_machine',
      'host',
      'too_long',
      'no_time',
    ])
    .nullable()
    .describe('why it cannot be compared; docs/threads.md explains each'),
  compared: z.int().describe('texts and updates'),
  difference: z
    .object({
      kind: z.enum(['text', 'content', 'tool', 'plan', 'update', 'ask']),
      what: z.enum(['changed', 'missing', 'added', 'end-unfit']),
      /* The first event where they part; of what is missing the last that is there. */
      seq: z.int(),
      last_seq: z.int(),
      stored_sha256: sha256.nullable(),
      journal_sha256: sha256.nullable(),
    })
    .nullable()
    .describe('the first one'),
});

const verificationSchema = z
  .object({
    thread_id: idSchema,
    /* The last event that was looked at. */
    through: z.int(),
    newest_seq: z.int(),
    is_complete: z.boolean(),
    events: z.int(),
    checksum: sha256.describe('the last link of the chain of all of them'),
    missing: z.array(seqRangeSchema).describe('numbers that are not in the database'),
    runs: z.array(verifiedRunSchema).describe('of its agents, oldest first'),
    same: z.int(),
    differs: z.int(),
    not_comparable: z.int(),
  })
  .meta({ id: 'Verification' });

export const historyEndpoints = endpoints({
  page: {
    method: 'GET',
    path: '/api/v1/threads/:id/history',
    summary:
      'A conversation backwards, as blocks: the newest page, or what is below a number. At most 64 kB compressed; large output by reference',
    access: 'read',
    params: idParams,
    query: z.strictObject({
      before: z.coerce.number().int().min(1).max(seqMax).optional(),
      /* In events. */
      limit: z.coerce.number().int().min(1).max(pageEventsMax).default(1_000),
    }),
    answer: z.object({
      thread_id: idSchema,
      blocks: z.array(blockSchema),
      /* The events that it is made of; null where there are none. */
      first_seq: z.int().nullable(),
      last_seq: z.int().nullable(),
      /* There is an older page: ask with `before` = `first_seq`. */
      has_more: z.boolean(),
      /* Events that should be here and are not. */
      gaps: z.array(seqRangeSchema),
      /* The number of the newest event of the thread. */
      newest_seq: z.int(),
    }),
    errors: ['not_found'],
  },
  receipt: {
    method: 'GET',
    path: '/api/v1/threads/:id/receipt',
    summary:
      'What happened after an event: time, restarts, events with a checksum, files, decisions, turns, and the state now',
    access: 'read',
    params: idParams,
    query: z.strictObject({ since: z.coerce.number().int().min(0).max(seqMax).default(0) }),
    answer: receiptSchema,
    errors: ['not_found'],
  },
  verify: {
    method: 'GET',
    path: '/api/v1/threads/:id/verify',
    summary:
      'Whether a conversation is stored as its agents said it: compared with the journals of their runs, as far as these are here',
    access: 'read',
    params: idParams,
    answer: verificationSchema,
    errors: ['not_found'],
    // It reads whole journals.
    limit: { hitsMax: 60, windowMs: minuteMs, per: 'account' },
  },
  changes: {
    method: 'GET',
    path: '/api/v1/turns/:id/changes',
    summary: 'The files that a turn has changed, as far as its agent has told',
    access: 'read',
    params: idParams,
    answer: z.object({
      turn_id: idSchema,
      thread_id: idSchema,
      directory: z.string(),
      files: z.array(changedFileSchema),
      is_partial: z.boolean().describe('there was more than can be looked at'),
    }),
    errors: ['not_found'],
  },
  fileChanges: {
    method: 'GET',
    path: '/api/v1/turns/:id/changes/:n',
    summary: 'What became of one of these files, as hunks of a unified diff, by page',
    access: 'read',
    params: z.strictObject({ id: idSchema, n: z.coerce.number().int().min(1).max(10_000) }),
    query: z.strictObject({
      /* In lines of all hunks. */
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
      limit: z.coerce.number().int().min(1).max(400).default(400),
    }),
    answer: z.object({
      turn_id: idSchema,
      file: changedFileSchema,
      offset: z.int(),
      hunks: z.array(hunkSchema),
      next_offset: z.int().nullable(),
      /* Of a file that is too large to compare: the first lines of what it is now. */
      beginning: z.array(z.string()).nullable(),
    }),
    errors: ['not_found'],
  },
  event: {
    method: 'GET',
    path: '/api/v1/threads/:id/events/:seq',
    summary: 'One event with all of its payload, as pieces of its JSON',
    access: 'read',
    params: z.strictObject({
      id: idSchema,
      seq: z.coerce.number().int().min(1).max(seqMax),
    }),
    query: z.strictObject({
      /* In characters (code points) of the JSON. */
      offset: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
      limit: z.coerce.number().int().min(1).max(pieceMax).default(65_536),
    }),
    answer: z.object({
      seq: z.int(),
      turn_id: z.string().nullable(),
      type: z.string(),
      at: timeSchema,
      /* Of all of it. */
      characters: z.int(),
      offset: z.int(),
      json: z.string(),
      /* Null: that was the last piece. */
      next_offset: z.int().nullable(),
    }),
    errors: ['not_found'],
  },
});
