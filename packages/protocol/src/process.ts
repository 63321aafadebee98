/*
 * The `process` tool on the wire: one action per line of the union, and what each brings back.
 */
import { z } from 'zod';
import {
  approvalPendingSchema,
  columnsSchema,
  completedSchema,
  deniedSchema,
  endReasonSchema,
  failedSchema,
  leftoverSchema,
  rowsSchema,
  timeLimitFields,
  truncatedSchema,
} from './exec.ts';
import { processLimits } from './limits.ts';

const runId = z.string().min(1).describe('The run id, or a unique beginning of it.');
const cursor = z.string().min(1).describe('From an earlier answer; acknowledges what came before.');
const inputText = z.string().max(processLimits.inputCharactersMax);
const encodingSchema = z.enum(['text', 'base64']);

export const processActions = [
  'list',
  'poll',
  'log',
  'screen',
  'write',
  'send-keys',
  'submit',
  'paste',
  'resize',
  'signal',
  'kill',
  'clear',
  'remove',
] as const;

export const processParamsSchema = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('list'),
    /* Finished runs too; the default is both. */
    state: z.enum(['running', 'finished']).optional(),
    limit: z.int().min(1).max(processLimits.listRows.most).optional(),
  }),
  z.strictObject({
    action: z.literal('poll'),
    runId,
    cursor: cursor.optional(),
    waitMs: z.int().min(0).max(processLimits.pollWaitMs.most).optional(),
  }),
  z.strictObject({
    action: z.literal('log'),
    runId,
    /* By line: `offset` from the first line, or from the last when negative. By byte: `cursor`. */
    offset: z.int().optional(),
    limit: z.int().min(1).max(processLimits.logLines.most).optional(),
    cursor: cursor.optional(),
    encoding: encodingSchema.optional(),
  }),
  z.strictObject({ action: z.literal('screen'), runId }),
  z.strictObject({
    action: z.literal('write'),
    runId,
    data: inputText.optional(),
    encoding: encodingSchema.optional(),
    eof: z.boolean().optional(),
  }),
  z.strictObject({
    action: z.literal('send-keys'),
    runId,
    literal: inputText.optional(),
    hex: z.array(z.string()).max(processLimits.keysMax).optional(),
    keys: z.array(z.string()).max(processLimits.keysMax).optional(),
  }),
  z.strictObject({ action: z.literal('submit'), runId }),
  z.strictObject({ action: z.literal('paste'), runId, text: inputText }),
  z.strictObject({ action: z.literal('resize'), runId, cols: columnsSchema, rows: rowsSchema }),
  z.strictObject({ action: z.literal('signal'), runId, signal: z.string() }),
  z.strictObject({
    action: z.literal('kill'),
    runId,
    graceMs: z.int().min(0).max(600_000).optional(),
  }),
  z.strictObject({ action: z.literal('clear'), runId }),
  z.strictObject({ action: z.literal('remove'), runId }),
]);
export type ProcessParams = z.infer<typeof processParamsSchema>;
export type ProcessAction = ProcessParams['action'];

/* Why a run stands still: its output cannot be written, or its reader has not taken in the output that is kept for it. */
export const stallSchema = z.enum(['disk-full', 'disk-failing', 'not-consumed']);

export const runSummarySchema = z.object({
  runId: z.string(),
  state: z.enum(['held', 'starting', 'running', 'exiting', 'exited']),
  command: z.string(),
  cwd: z.string(),
  host: z.string(),
  pty: z.boolean(),
  pid: z.int().optional(),
  startedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
  ...timeLimitFields,
  reason: z.string().optional(),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
  /* Processes that outlive the command, as counted at its end; 0 once they are gone. */
  leftovers: z.int(),
  approvalId: z.string().optional(),
  /* Only while it stands still. */
  stalled: stallSchema.optional(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

export const stillRunningSchema = z.object({
  status: z.literal('running'),
  runId: z.string(),
  /* Absent while it is still starting. */
  pid: z.int().optional(),
  ...timeLimitFields,
  output: z.string(),
  cursor: z.string(),
  truncated: truncatedSchema.optional(),
  /* How long to wait before asking again, while nothing happens. */
  retryInMs: z.int().optional(),
  waitingForInput: z.boolean(),
  notes: z.array(z.string()),
});

export const pollResultSchema = z.discriminatedUnion('status', [
  stillRunningSchema,
  completedSchema,
  failedSchema,
  approvalPendingSchema,
  deniedSchema,
]);
export type PollResult = z.infer<typeof pollResultSchema>;

export const logResultSchema = z.object({
  runId: z.string(),
  /* Text without escape sequences, or the bytes as they came in base64. */
  text: z.string(),
  encoding: encodingSchema,
  firstLine: z.int().optional(),
  lines: z.int().optional(),
  totalLines: z.int().optional(),
  cursor: z.string(),
  ...timeLimitFields,
  isEnd: z.boolean(),
  /* Bytes that a ring journal no longer has. */
  droppedBytes: z.int(),
  /* Bytes of the journal that are not what was written: it was cut, deleted or altered. */
  damagedBytes: z.int(),
  /* The journal has no end record; the last output may be missing. */
  isTailLost: z.boolean(),
});
export type LogResult = z.infer<typeof logResultSchema>;

export const screenResultSchema = z.object({
  runId: z.string(),
  cols: z.int(),
  rows: z.int(),
  /* One string per row, trailing blanks cut. */
  lines: z.array(z.string()),
  cursor: z.object({ row: z.int(), column: z.int(), isVisible: z.boolean() }),
  title: z.string(),
  isAlternate: z.boolean(),
  isRunning: z.boolean(),
});
export type ScreenResult = z.infer<typeof screenResultSchema>;

/* For clients that show it on a terminal of their own. */
export const pictureSchema = z.object({
  /* Paints the screen on an empty terminal of its size, with colours and modes. */
  text: z.string(),
  /* Up to here the output is in the picture; it goes on from here. */
  cursor: z.string(),
});
export type PaintedScreenResult = ScreenResult & {
  readonly picture: z.infer<typeof pictureSchema>;
};

const done = { runId: z.string() } as const;
const poll = { action: z.literal('poll') } as const;

/* How it ended, as `kill` and `remove` saw it. */
const endedFields = {
  /* False: something of the tree could not be ended (uninterruptible, another user's); it is named and tried again. */
  isGone: z.boolean(),
  survivors: z.array(leftoverSchema),
  reason: endReasonSchema.optional(),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
} as const;

/* One line per action; `poll` is itself a union on `status`. */
export const processResultSchema = z.union([
  z.object({
    action: z.literal('list'),
    runs: z.array(runSummarySchema),
    /* There are more than `limit`. */
    isMore: z.boolean(),
  }),
  stillRunningSchema.extend(poll),
  completedSchema.extend(poll),
  failedSchema.extend(poll),
  approvalPendingSchema.extend(poll),
  deniedSchema.extend(poll),
  logResultSchema.extend({ action: z.literal('log') }),
  screenResultSchema.extend({ action: z.literal('screen') }),
  z.object({ action: z.literal('write'), ...done, bytes: z.int(), isEof: z.boolean() }),
  z.object({ action: z.literal('send-keys'), ...done, bytes: z.int() }),
  z.object({ action: z.literal('submit'), ...done }),
  z.object({ action: z.literal('paste'), ...done, bytes: z.int(), isBracketed: z.boolean() }),
  z.object({ action: z.literal('resize'), ...done, cols: z.int(), rows: z.int() }),
  z.object({ action: z.literal('signal'), ...done, signal: z.string() }),
  z.object({ action: z.literal('kill'), ...done, ...endedFields }),
  z.object({ action: z.literal('clear'), ...done }),
  z.object({ action: z.literal('remove'), ...done, ...endedFields }),
]);
export type ProcessResult = z.infer<typeof processResultSchema>;
