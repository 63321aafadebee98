/*
 * Commands and what becomes of them: the tools' exec and process over HTTP, in the tools' own words.
 */
import { z } from 'zod';
import { cliExitSchema } from '../cli-json.ts';
import {
  columnsSchema,
  execParamsSchema,
  execResultSchema,
  leftoverSchema,
  leftoversSchema,
  rowsSchema,
} from '../exec.ts';
import { processLimits } from '../limits.ts';
import { runExtrasFields, runLimitsSchema, runNameSchema } from '../run-extras.ts';
import {
  logResultSchema,
  pictureSchema,
  runSummarySchema,
  screenResultSchema,
} from '../process.ts';
import {
  cursorSchema,
  encodingSchema,
  forceQuery,
  idParams,
  idSchema,
  pageOf,
  pageQuery,
  timeSchema,
} from './common.ts';
import { endpoints } from './endpoint.ts';

/* Below the 30 s of a request, with time left for the start and the answer. */
const yieldMsMax = 25_000;
/* A proxy's usual patience is 60 s. */
const waitMsMax = 55_000;
/* A page that is parsed and shown at once; the journal may hold gigabytes. */
const pageBytes = { least: 1, usual: 65_536, most: 1_048_576 } as const;
/* Less is no page; with more, the text of binary output would be as long as an answer may be. */
const tailBytes = { least: 1_024, most: 262_144 } as const;
const inputText = z.string().max(processLimits.inputCharactersMax);

export const runParamsSchema = execParamsSchema
  .safeExtend({
    /* The session it belongs to: it keeps the session open, and ends with it. */
    sessionId: idSchema.optional(),
    ...runExtrasFields,
  })
  .refine(({ yieldMs = 0 }) => yieldMs <= yieldMsMax, {
    message: `at most ${yieldMsMax} over HTTP`,
    path: ['yieldMs'],
  });

/* What is absent is null, as in the command line's JSON. */
export const runExitSchema = cliExitSchema
  .omit({ exitCode: true })
  /* Older gateways do not say these. */
  .partial({ lastSeenAt: true, treeEnd: true, hostCause: true })
  .meta({ id: 'RunExit' });

/* What it uses now. A rate is the difference of two of these over the time between them. */
export const runUseSchema = z
  .object({
    at: timeSchema,
    /* Of all its processes since it started; it never falls. */
    cpuMs: z.number(),
    memoryBytes: z.number(),
    processes: z.int(),
    /* The length of its journal; null when there is none. */
    outputBytes: z.number().nullable(),
    /* What the journal holds on the disk; null when there is none. Older gateways do not say it. */
    diskBytes: z.number().nullable().optional(),
    /* The command was stopped by a signal, Ctrl-Z say, and not continued. Older gateways do not say it. */
    isStopped: z.boolean().optional(),
  })
  .meta({ id: 'RunUse' });

export const runSchema = runSummarySchema
  .extend({
    /* Given when it was started; a living run has it alone. */
    name: z.string().nullable(),
    labels: z.record(z.string(), z.string()),
    mode: z.enum(['child', 'pty', 'pty-argv']),
    sessionId: z.string(),
    backendId: z.string(),
    ownerLoss: z.enum(['adopt', 'kill']),
    owner: z.object({ instanceId: z.string(), generation: z.int(), epoch: z.int() }),
    requester: z.string(),
    createdAt: timeSchema,
    lastOutputAt: timeSchema.nullable(),
    timeoutMs: z.number().nullable(),
    noOutputTimeoutMs: z.number().nullable(),
    leftoversPolicy: leftoversSchema,
    /* Where the next byte that is sent at an offset goes. */
    inputOffset: z.int(),
    /* Of the request that started it; joins it with the logs. */
    traceId: z.string().nullable(),
    exit: runExitSchema.nullable(),
    /* Null while something of it lives. */
    treeEndedAt: timeSchema.nullable(),
    /* Of one run, not in lists; older gateways do not say it. */
    shimPid: z.int().nullable().optional(),
    graceMs: z.number().nullable().optional(),
    limits: runLimitsSchema.optional(),
    /* The length of its journal, with what was dropped of it. */
    outputBytes: z.number().nullable().optional(),
    droppedBytes: z.number().optional(),
    /* What the devices and tokens among its actors are called; told to a person. */
    names: z.record(z.string(), z.string()).optional(),
    /* Only when the list was asked for it, and while its processes can be seen. */
    use: runUseSchema.optional(),
    /* What it has said last; null: nothing, or only empty lines in its last KiB. Only when the list was asked for it, and cut where it is long. */
    lastLine: z.string().nullable().optional(),
  })
  .meta({ id: 'Run' });

const endedSchema = z.object({
  runId: z.string(),
  /* False: something of the tree could not be ended; it is named and tried again. */
  isGone: z.boolean(),
  survivors: z.array(leftoverSchema),
  reason: z.string().optional(),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
});

const path = '/api/v1/runs/:id';

export const runsEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/runs',
    summary: 'Your runs, newest first, those that wait for a decision before them',
    access: 'read',
    query: pageQuery.extend({
      state: z
        .enum(['running', 'finished', 'alive'])
        .optional()
        .describe(
          'alive: those of your account of which anything lives, also processes that were left behind; each holds a place',
        ),
      name: runNameSchema.optional().describe('The name it was given'),
      prefix: z
        .string()
        .regex(/^[0-9a-z-]{1,31}$/, 'is not the beginning of an id')
        .optional()
        .describe('How its id begins'),
      label: z.string().min(3).max(513).optional().describe('One label, as NAME=VALUE'),
      session: z.string().min(1).max(256).optional(),
      backend: z.string().min(1).max(256).optional().describe('What started it: cli or exec'),
      host: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .describe('Where it runs: local, or the label or id of a connection'),
      use: z
        .enum(['true', 'false'])
        .default('false')
        .describe('With what each living run uses now; this looks at every process of the host'),
      last: z
        .enum(['true', 'false'])
        .default('false')
        .describe('With the last line that each has said, and when; this looks at every journal'),
    }),
    answer: pageOf(runSchema),
  },
  create: {
    method: 'POST',
    path: '/api/v1/runs',
    summary:
      'Start a command: in the background, or waited for as long as yieldMs says. A lost connection ends nothing',
    access: 'run',
    body: runParamsSchema,
    answer: execResultSchema.meta({ id: 'ExecResult' }),
    status: 201,
    errors: [
      'run_limit_reached',
      'name_taken',
      'key_reused',
      'storage_full',
      'not_found',
      'expired',
      'ssh_connect_failed',
    ],
    isIdempotent: true,
    needsTime: true,
  },
  get: {
    method: 'GET',
    path,
    summary: 'One run: what, where, since when, until when, and how it ended',
    access: 'read',
    params: idParams,
    answer: runSchema,
    errors: ['not_found'],
  },
  output: {
    method: 'GET',
    path: `${path}/output`,
    summary:
      'What it said from a cursor on: a page, or with Accept: text/event-stream everything as it comes, resumed by Last-Event-ID',
    access: 'read',
    params: idParams,
    query: z.strictObject({
      cursor: cursorSchema.optional(),
      limit: z.coerce
        .number()
        .int()
        .min(pageBytes.least)
        .max(pageBytes.most)
        .default(pageBytes.usual)
        .describe('Bytes of a page'),
      encoding: encodingSchema.optional().describe('Pages are text unless asked, streams base64'),
      tail: z.coerce
        .number()
        .int()
        .min(tailBytes.least)
        .max(tailBytes.most)
        .optional()
        .describe('The last so many bytes instead; `cursor` and `limit` do not count then'),
      before: cursorSchema.optional().describe('With `tail`: the bytes before this cursor'),
    }),
    /* Lines are for agents; time limits are with the run. */
    answer: logResultSchema
      .omit({
        firstLine: true,
        lines: true,
        totalLines: true,
        timeoutMs: true,
        timeoutAt: true,
        noOutputTimeoutMs: true,
      })
      .extend({
        /* The command has ended and this is all it said. */
        hasEnded: z.boolean(),
        /* Of the last bytes: where they begin, and whether output may be before them. */
        from: z.string().optional(),
        hasOlder: z.boolean().optional(),
      }),
    errors: ['not_found', 'not_running'],
    takesLong: true,
  },
  screen: {
    method: 'GET',
    path: `${path}/screen`,
    summary: 'What a person in front of its terminal would see',
    access: 'read',
    params: idParams,
    query: z.strictObject({
      picture: z
        .enum(['true', 'false'])
        .default('false')
        .describe('With what paints it on an empty terminal, and where the output goes on'),
    }),
    answer: screenResultSchema.extend({ picture: pictureSchema.optional() }),
    errors: ['not_found', 'not_running'],
  },
  wait: {
    method: 'GET',
    path: `${path}/wait`,
    summary: 'The run, as soon as it has ended or the time is up; `exit` tells which',
    access: 'read',
    params: idParams,
    query: z.strictObject({
      timeoutMs: z.coerce.number().int().min(0).max(waitMsMax).default(30_000),
    }),
    answer: runSchema,
    errors: ['not_found'],
    takesLong: true,
    needsTime: true,
  },
  input: {
    method: 'POST',
    path: `${path}/input`,
    summary: 'Input for it. With an offset it arrives once, however often it is sent',
    access: 'run',
    params: idParams,
    body: z.strictObject({
      offset: z.int().min(0).optional().describe('Where these bytes belong in its input'),
      data: inputText.default(''),
      encoding: encodingSchema.default('text'),
      eof: z.boolean().default(false).describe('End of input after them'),
    }),
    answer: z.object({
      runId: z.string(),
      /* Of this request, those that were known before included. */
      bytes: z.int(),
      /* Where the next ones go. */
      inputOffset: z.int(),
      isEof: z.boolean(),
      /* False: kept, and given to it when it reads; it has not read all before it for ten seconds. */
      isDelivered: z.boolean(),
    }),
    errors: ['not_found', 'not_running', 'gap', 'input_blocked'],
    needsTime: true,
  },
  keys: {
    method: 'POST',
    path: `${path}/keys`,
    summary: 'Keys by name, or a paste, as its terminal would send them',
    access: 'run',
    params: idParams,
    body: z.union([
      z.strictObject({
        literal: inputText.optional(),
        hex: z.array(z.string()).max(processLimits.keysMax).optional(),
        keys: z.array(z.string()).max(processLimits.keysMax).optional(),
      }),
      z.strictObject({ paste: inputText.min(1) }),
    ]),
    answer: z.object({ runId: z.string(), bytes: z.int(), isBracketed: z.boolean().optional() }),
    errors: ['not_found', 'not_running', 'input_blocked'],
    needsTime: true,
  },
  resize: {
    method: 'POST',
    path: `${path}/resize`,
    summary: 'Another size for its terminal',
    access: 'run',
    params: idParams,
    body: z.strictObject({ cols: columnsSchema, rows: rowsSchema }),
    answer: z.object({ runId: z.string(), cols: z.int(), rows: z.int() }),
    errors: ['not_found', 'not_running'],
    needsTime: true,
  },
  signal: {
    method: 'POST',
    path: `${path}/signal`,
    summary: 'A signal, to what is in the foreground of its terminal or to its process group',
    access: 'run',
    params: idParams,
    body: z.strictObject({ signal: z.string().min(1).max(32) }),
    answer: z.object({ runId: z.string(), signal: z.string() }),
    errors: ['not_found', 'not_running'],
    needsTime: true,
  },
  cancel: {
    method: 'POST',
    path: `${path}/cancel`,
    summary: 'End it and all that it started; answers when nothing of it lives',
    access: 'run',
    params: idParams,
    body: z.strictObject({ graceMs: z.int().min(0).max(600_000).optional() }).nullish(),
    answer: endedSchema,
    errors: ['not_found'],
    takesLong: true,
  },
  remove: {
    method: 'DELETE',
    path,
    summary: 'Take it out of the lists; with force one that lives is ended first',
    access: 'run',
    params: idParams,
    query: forceQuery,
    answer: endedSchema,
    errors: ['not_found', 'still_running'],
    takesLong: true,
  },
});
