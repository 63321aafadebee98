/*
 * The `exec` tool on the wire: what can be asked, and the union of what comes back.
 */
import { terminationReasons } from '@clawdfather/kit';
import { z } from 'zod';
import { execLimits } from './limits.ts';
import { askSchema, securitySchema } from './policy.ts';

/* The causes of an end (T3), as a tool reports them. */
export const endReasonSchema = z.enum(terminationReasons);
export type EndReason = z.infer<typeof endReasonSchema>;

export const leftoversSchema = z.enum(['keep', 'end', 'fail']);

const { terminal, yieldMs, timeoutSeconds, noOutputTimeoutSeconds } = execLimits;

export const columnsSchema = z.int().min(1).max(terminal.most);
export const rowsSchema = z.int().min(1).max(terminal.most);

/* The fields alone: what an MCP client is shown. `execParamsSchema` adds what no JSON schema of a flat object can say. */
export const execFields = {
  command: z
    .string()
    .min(1)
    .max(execLimits.commandCharactersMax)
    .optional()
    .describe('A shell line, run by /bin/sh -c. Give either command or argv, not both.'),
  argv: z
    .array(z.string().max(execLimits.commandCharactersMax))
    .min(1)
    .max(execLimits.argumentsMax)
    .optional()
    .describe('A program and its arguments, run without a shell. Nothing needs quoting.'),
  shell: z.string().min(1).optional().describe('Another shell for command, e.g. /bin/bash.'),
  workdir: z.string().min(1).optional().describe('Where it runs; must exist.'),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe('Added to the environment. PATH and loader hooks are refused.'),
  host: z
    .string()
    .min(1)
    .optional()
    .describe('Where it runs: "local" (default), or at a gateway an SSH host by its name.'),
  pty: z
    .boolean()
    .optional()
    .describe('Run on a terminal: for interactive and full-screen programs.'),
  cols: columnsSchema.optional(),
  rows: rowsSchema.optional(),
  background: z.boolean().optional().describe('Return at once with a run id.'),
  yieldMs: z
    .int()
    .min(yieldMs.least)
    .max(yieldMs.most)
    .optional()
    .describe('Wait this long for the end, then go on in the background. Default 10000.'),
  timeoutSeconds: z
    .number()
    .min(0)
    .max(timeoutSeconds.most)
    .optional()
    .describe(
      'The run is ended after this long; 0 is never. Default: never with background, else 1800.',
    ),
  noOutputTimeoutSeconds: z
    .number()
    .positive()
    .max(noOutputTimeoutSeconds.most)
    .optional()
    .describe('The run is ended when it says nothing for this long.'),
  stdin: z
    .string()
    .max(execLimits.stdinCharactersMax)
    .optional()
    .describe('Written at start. Stdin stays open for process write, unless eof.'),
  eof: z.boolean().optional().describe('Close stdin after the text.'),
  leftovers: leftoversSchema
    .optional()
    .describe('What happens to processes the command leaves behind. Default keep.'),
  security: securitySchema.optional().describe('Make the policy stricter for this call.'),
  ask: askSchema.optional().describe('Make the policy stricter for this call.'),
} as const;

export const execParamsSchema = z
  .strictObject(execFields)
  .refine((params) => (params.command === undefined) !== (params.argv === undefined), {
    message: 'give exactly one of command and argv',
  })
  .refine((params) => params.shell === undefined || params.command !== undefined, {
    message: 'shell goes with command; argv runs without one',
  })
  .refine(({ argv = [] }) => !argv.some((word) => word.includes('\0')), {
    message: 'no program can be given a NUL character',
    path: ['argv'],
  })
  .refine(({ command = '', shell = '' }) => !`${command}${shell}`.includes('\0'), {
    message: 'no shell can be given a NUL character',
    path: ['command'],
  })
  .refine(({ env = {} }) => Object.keys(env).length <= execLimits.environmentEntriesMax, {
    message: `at most ${execLimits.environmentEntriesMax} entries`,
    path: ['env'],
  });
export type ExecParams = z.infer<typeof execParamsSchema>;

export const leftoverSchema = z.object({ pid: z.int(), name: z.string() });

/*
 * What was left out before the text that is shown, as bytes of the journal; `process log` reads it from this cursor. Bytes
 * and not characters, because a flood is not turned into text only to be counted.
 */
export const truncatedSchema = z.object({ droppedBytes: z.int(), fromCursor: z.string() });

const outputFields = {
  output: z.string(),
  /* Opaque; handing it back acknowledges everything before it. */
  cursor: z.string(),
  truncated: truncatedSchema.optional(),
} as const;

/* When a living run is ended if it does not end by itself; one that has ended has no limit any more. */
export const timeLimitFields = {
  /* From its start; null is no limit. Absent while it is not known yet. */
  timeoutMs: z.number().nullable().optional(),
  /* The moment that this makes, once it has started. */
  timeoutAt: z.iso.datetime().optional(),
  /* Only where there is such a limit. */
  noOutputTimeoutMs: z.number().optional(),
} as const;

export const completedSchema = z.object({
  status: z.literal('completed'),
  runId: z.string(),
  exitCode: z.int(),
  reason: endReasonSchema,
  durationMs: z.number(),
  ...outputFields,
  cwd: z.string(),
  leftovers: z.array(leftoverSchema),
  notes: z.array(z.string()),
});

export const failureKindSchema = z.enum([
  'command-not-found',
  'not-executable',
  'host-unreachable',
  ...terminationReasons,
]);

export const failedSchema = z.object({
  status: z.literal('failed'),
  runId: z.string(),
  kind: failureKindSchema,
  message: z.string(),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
  durationMs: z.number().optional(),
  ...outputFields,
  leftovers: z.array(leftoverSchema),
  notes: z.array(z.string()),
});

export const runningSchema = z.object({
  status: z.literal('running'),
  runId: z.string(),
  /* Both are absent while a slow machine is still starting it. */
  pid: z.int().optional(),
  startedAt: z.iso.datetime().optional(),
  ...timeLimitFields,
  tail: z.string(),
  cursor: z.string(),
  truncated: outputFields.truncated,
  notes: z.array(z.string()),
});

export const approvalPendingSchema = z.object({
  status: z.literal('approval-pending'),
  approvalId: z.string(),
  runId: z.string(),
  /* Why a person is asked: what is not on the allowlist, or who wants a decision. */
  why: z.string(),
  expiresAt: z.iso.datetime(),
  ...timeLimitFields,
  /* Where a person finds it: the state directory, if it was asked for on this machine and not at a gateway. */
  stateDir: z.string().optional(),
});

export const deniedSchema = z.object({
  status: z.literal('denied'),
  /* Absent when it was denied at once: then there is no run. */
  runId: z.string().optional(),
  rule: z.string(),
  by: z.string(),
  /* At once, by the policy; or after it was held: a person did, whoever asked took it back, nobody decided in time, what it is bound to has changed. */
  cause: z.enum(['policy', 'person', 'withdrawn', 'expired', 'changed']),
  /* What the person said. */
  reason: z.string().optional(),
  /* It was allowed, but what it is bound to was another at the start: this waits for a decision instead. */
  askedAgain: z.object({ approvalId: z.string(), runId: z.string() }).optional(),
});

export const execResultSchema = z.discriminatedUnion('status', [
  completedSchema,
  failedSchema,
  runningSchema,
  approvalPendingSchema,
  deniedSchema,
]);
export type ExecResult = z.infer<typeof execResultSchema>;
