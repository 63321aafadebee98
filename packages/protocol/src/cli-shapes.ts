/*
 * What the command line prints with --json: one of these shapes per line.
 *
 * Fields may be added; none is renamed or removed, and none changes its meaning. What is absent is null. The schemas
 * pass over what they do not know, so that a program written against them goes on working; docs/cli-json.md is
 * compared with them, and tests compare them with what real commands print.
 */
import { z } from 'zod';
import { stallSchema } from './process.ts';
import { cliEventSchema, cliExitSchema, cliRunSchema } from './cli-json.ts';
import { agentShapes } from './cli-agent-shapes.ts';
import { historyShapes } from './cli-history-shapes.ts';
import { gatewayShapes } from './cli-gateway-shapes.ts';
import { hostShapes } from './cli-host-shapes.ts';
import { columnsSchema, execResultSchema, rowsSchema } from './exec.ts';
import { approvalDecisionSchema, approvalStateSchema, boundSchema } from './policy.ts';

const instant = z.iso.datetime();
const runId = z.string().describe('the run’s id');
const amount = z.number();
const count = z.int();

const errorSchema = z.object({
  code: z.string().describe('of errors.md, or `internal`'),
  message: z.string().describe('for people; may change'),
  hint: z.string().nullable().describe('what to do'),
});

const approvalFields = {
  id: z.string().describe('the approval’s id'),
  runId: z.string().describe('the id its run has or will have'),
  state: approvalStateSchema,
  line: z.string().nullable().describe('a shell line, or null'),
  shell: z.string().nullable(),
  argv: z.array(z.string()).nullable().describe('a command without a shell, or null'),
  cwd: z.string(),
  env: z.record(z.string(), z.string()).describe('what is added to its environment'),
  stdin: z.string().nullable().describe('what it is given to read at its start, or null'),
  droppedBytes: count
    .nullable()
    .describe(
      'null while it may start; then how much was kept: `env` and `stdin` are gone, a long command is cut',
    ),
  host: z.string(),
  account: z.string(),
  runAs: z.string().nullable().describe('the Unix user that it runs as; null: as the gateway does'),
  requester: z.string(),
  askedWith: z
    .string()
    .nullable()
    .describe('at a gateway: the label of the token, or the name of the device'),
  why: z.string().describe('why it was asked about'),
  digest: z.string().describe('SHA-256 of what would be done'),
  createdAt: instant,
  expiresAt: instant,
  decision: approvalDecisionSchema.nullable(),
  decidedBy: z.string().nullable(),
  decidedAt: instant.nullable(),
  reason: z.string().nullable().describe('given with the decision'),
  bound: boundSchema
    .nullable()
    .describe('the directory and files it is bound to; null once it is over, or where nothing is'),
  changed: z.string().nullable().describe('what was another at the start: nothing started'),
  askedAgainAs: z.string().nullable().describe('the request that was made instead'),
  stateDir: z
    .string()
    .nullable()
    .describe('the state directory that it waits in; null at a gateway'),
};

/* By the name that docs/cli-json.md gives each. */
export const cliShapes = {
  run: cliRunSchema,
  exit: cliExitSchema,
  event: cliEventSchema,
  started: z.object({ type: z.literal('started'), run: cliRunSchema }),
  ended: z.object({ type: z.literal('exit'), id: runId, exit: cliExitSchema }),
  position: z.object({ type: z.literal('cursor'), cursor: z.string() }),
  waited: z.object({
    id: runId,
    exit: cliExitSchema.nullable().describe('null when `--timeout` came first'),
  }),
  signalled: z.object({ id: runId, signal: z.string() }),
  removed: z.object({ id: runId, removed: z.literal(true) }),
  'failed-run': z.object({ typed: z.string().describe('what was named'), error: errorSchema }),
  error: z.object({ error: errorSchema }),
  garbage: z.object({
    dryRun: z.boolean(),
    removed: z.object({ runs: count, bytes: amount }),
    spared: z.array(z.string()).describe('came back to life meanwhile'),
    survivors: z.array(z.string()).describe('finished, but something of them lives'),
    decisions: z.array(
      z.object({
        id: runId,
        decision: z.enum(['keep', 'remove']),
        why: z.string(),
        evidence: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      }),
    ),
  }),
  findings: z.object({
    isHealthy: z.boolean(),
    findings: z.array(
      z.object({
        check: z.string(),
        status: z.enum(['ok', 'info', 'warn', 'fail']),
        summary: z.string(),
        advice: z.string().nullable(),
      }),
    ),
  }),
  version: z.object({ version: z.string(), node: z.string(), platform: z.string() }),
  help: z.object({
    commands: z.array(z.object({ name: z.string(), summary: z.string(), usage: z.string() })),
  }),
  setting: z.object({
    key: z.string(),
    value: z
      .union([z.string(), z.number(), z.array(z.string()), z.record(z.string(), z.unknown())])
      .describe('as it could be written into the file'),
    origin: z
      .object({
        kind: z.enum(['default', 'file', 'environment', 'flag']),
        path: z.string().optional().describe('of the file'),
        line: count.optional(),
        column: count.optional(),
        name: z.string().optional().describe('of the variable or flag'),
      })
      .describe('where it comes from'),
    variable: z.string().describe('the variable that would decide it'),
  }),
  'config-path': z.object({ path: z.string(), exists: z.boolean() }),
  'config-check': z.object({
    path: z.string(),
    exists: z.boolean(),
    isValid: z.boolean(),
    problems: z.array(
      z.object({
        line: count.nullable().describe('null when it is not in the file'),
        column: count.nullable(),
        message: z.string(),
        hint: z.string().nullable(),
      }),
    ),
  }),
  look: z.object({
    at: instant,
    runs: z.array(
      z.object({
        id: runId,
        name: z.string().nullable(),
        state: z.enum(['starting', 'running', 'exiting', 'exited']),
        command: z.string(),
        host: z.string().describe('`local`, or an SSH host: nothing is measured'),
        pid: count.nullable(),
        startedAt: instant.nullable(),
        stalled: stallSchema.nullable().describe('why it stands still: its output cannot be kept'),
        cpuPercent: amount.nullable().describe('of one core, of the whole tree'),
        memoryBytes: amount.nullable().describe('resident, of the whole tree'),
        processes: count.nullable(),
        outputBytesPerSecond: amount.nullable(),
      }),
    ),
    ended: z
      .array(
        z.object({
          id: runId,
          name: z.string().nullable(),
          command: z.string(),
          host: z.string(),
          exit: cliExitSchema.nullable(),
        }),
      )
      .describe('within the last ten minutes, the latest first'),
  }),
  screen: z.object({
    id: runId,
    cols: columnsSchema,
    rows: rowsSchema,
    lines: z.array(z.string()).describe('one per row, trailing blanks cut'),
    cursor: z.object({
      row: count.describe('an index of `lines`'),
      column: count.describe('in cells, from 0'),
      isVisible: z.boolean(),
    }),
    title: z.string(),
    isAlternate: z.boolean().describe('a full-screen program is on'),
    isRunning: z.boolean(),
  }),
  typed: z.object({ id: runId, bytes: count }),
  pasted: z.object({ id: runId, bytes: count, isBracketed: z.boolean() }),
  resized: z.object({ id: runId, cols: count, rows: count }),
  result: execResultSchema,
  approval: z.object(approvalFields),
  allowed: z.object({
    ...approvalFields,
    rules: z.array(z.string()).describe('programs that need no approval from now on'),
  }),
  rule: z.object({
    id: z.string().describe('the rule’s id'),
    program: z.string().describe('what the program is called by'),
    file: z.string().describe('the file that it is'),
    runsAnything: z.boolean().describe('it runs other programs, so this allows everything'),
    account: z.string().describe('whose agents it is for'),
    approvalId: z.string().describe('the request that it was made with'),
    addedBy: z.string(),
    addedAt: instant,
    uses: count.describe('runs that it let start'),
    lastUsedAt: instant.nullable(),
    revokedBy: z.string().nullable(),
    revokedAt: instant.nullable(),
  }),
  ...agentShapes,
  ...historyShapes,
  ...hostShapes,
  ...gatewayShapes,
} as const;
export type CliShape = keyof typeof cliShapes;

/* For validators in other languages. */
export function cliShapeJsonSchema(shape: CliShape): unknown {
  return z.toJSONSchema(cliShapes[shape], { io: 'output' });
}
