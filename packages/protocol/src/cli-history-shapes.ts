/*
 * What the commands about what happened in a conversation print with --json. Part of cli-shapes.ts, and under the same promise.
 */
import { z } from 'zod';

const instant = z.iso.datetime();
const count = z.int();
const threadId = z.string().describe('the thread’s id');
const turnId = z.string().describe('the turn’s id');
const lines = count.nullable().describe('in lines; null: not counted');
const kind = z
  .enum(['text', 'binary', 'too_large', 'not_counted'])
  .describe('`not_counted`: there was no time left to compare it');
const fileFields = {
  path: z.string().describe('as seen from the thread’s directory'),
  isNew: z.boolean(),
  isDone: z.boolean().describe('false: the tool has not said that it is done'),
  kind,
  added: lines,
  removed: lines,
};

export const historyShapes = {
  'thread-receipt': z.object({
    threadId,
    since: count.describe('what is after this event'),
    isSinceSeen: z.boolean().describe('it is the last that you have seen'),
    through: count.describe('up to this event'),
    sinceAt: instant.nullable(),
    lastAt: instant.nullable(),
    now: instant,
    awayMs: count.nullable().describe('from `sinceAt` to `now`'),
    isProven: z.boolean().describe('all were received, as the gateway counts them'),
    events: count.describe('as the gateway counts them'),
    received: count,
    bytes: count,
    missing: z
      .array(z.object({ from: count, to: count }))
      .describe('numbers that were not received'),
    parts: z.array(
      z.object({
        since: count,
        through: count,
        checksum: z.string().describe('as the gateway says'),
        computed: z.string().describe('of what was received'),
      }),
    ),
    gateways: z
      .array(
        z.object({
          instanceId: z.string(),
          starts: count,
          firstGeneration: count,
          lastGeneration: count,
          lastStartedAt: instant,
        }),
      )
      .describe('those that started meanwhile'),
    files: z.array(z.object(fileFields)),
    filesTotal: count,
    added: count,
    removed: count,
    filesArePartial: z.boolean().describe('some are not counted'),
    decisions: z.array(
      z.object({
        seq: count,
        askId: z.string(),
        turnId: z.string().nullable(),
        class: z.enum(['approval', 'question']),
        answer: z.string().describe('the option that was taken, or how it was answered'),
        by: z.string(),
        byName: z.string().nullable().describe('as people call it'),
        at: instant,
      }),
    ),
    decisionsTotal: count,
    turns: z
      .array(
        z.object({
          turnId,
          status: z.string(),
          code: z.string().nullable(),
          cause: z.string().nullable(),
          endedAt: instant,
        }),
      )
      .describe('those that ended'),
    turnsTotal: count,
    state: z.object({
      status: z.enum(['ready', 'queued', 'running', 'archived']),
      runningTurnId: z.string().nullable(),
      waitingTurns: count,
      openAsks: count,
    }),
  }),
  'turn-changes': z.object({
    turnId,
    threadId,
    directory: z.string(),
    isPartial: z.boolean().describe('there was more than can be looked at'),
    files: z.array(
      z.object({
        ...fileFields,
        edits: count,
        bytes: count.nullable().describe('of one that is not shown as text'),
        sha256: z.string().nullable(),
        hunks: z
          .array(
            z.object({
              edit: count.describe('which of the edits; each has its own line numbers'),
              oldStart: count,
              oldLines: count,
              newStart: count,
              newLines: count,
              lines: z.array(z.string()).describe('each with its sign'),
            }),
          )
          .nullable()
          .describe('null with `--stat`'),
        beginning: z
          .array(z.string())
          .nullable()
          .describe('of one that is too large: its first lines'),
      }),
    ),
  }),
};
