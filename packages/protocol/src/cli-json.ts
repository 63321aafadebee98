/*
 * Runs, their exits and their output as the command line prints them with --json; the HTTP API shows exits the same way.
 * All that the command line prints is in cli-shapes.ts.
 */
import { z } from 'zod';
import { endReasonSchema } from './exec.ts';
import { stallSchema } from './process.ts';
import { runLimitsSchema } from './run-extras.ts';

const instant = z.iso.datetime();
const runId = z.string().describe('the run’s id');
const cursor = z.string().describe('the position after it, for `--since`');
const amount = z.number();
const count = z.int();
const process = z.object({ pid: count, command: z.string().describe('its short name') });
const killed = z.object({
  pid: count.describe('processes killed one by one'),
  pgid: count.describe('by their group'),
  cgroup: count.describe('by their cgroup'),
});

export const cliExitSchema = z.object({
  reason: endReasonSchema.describe('why it ended: invariants.md, T3'),
  code: count.nullable().describe('the exit code of the command'),
  signal: z.string().nullable().describe('the signal it died of'),
  exitCode: count.describe('what `clf run` would have exited with'),
  actor: z
    .string()
    .nullable()
    .describe('who asked for the end, or sent the signal that it died of through Clawdfather'),
  detail: z.string().nullable().describe('a sentence of evidence'),
  hostCause: z
    .string()
    .nullable()
    .describe('of a command on a host: why its connection was lost, a cause of docs/ssh.md'),
  coreDumped: z.boolean(),
  startedAt: instant.nullable(),
  endedAt: instant.describe('when its command ended, or was found dead: see `lastSeenAt`'),
  lastSeenAt: instant
    .nullable()
    .describe('nobody saw the end: it ended after this, and no later than `endedAt`'),
  durationMs: amount.nullable(),
  usage: z
    .object({
      userMs: amount,
      systemMs: amount,
      maxRssBytes: amount.describe('of the largest process'),
      readBytes: amount,
      writeBytes: amount,
    })
    .nullable()
    .describe('of all its processes that had ended with it'),
  killed,
  escapees: count.describe('processes that had left its group'),
  leftovers: z.array(process).describe('what lived on when it had ended'),
  survivors: z.array(process).describe('what could not be ended'),
  undrainedBytes: amount.describe('output that was never saved: the disk did not take it'),
  failure: z
    .object({ stage: z.string(), errno: count })
    .nullable()
    .describe('of a command that could not be started: at which step, with which errno'),
  cursor,
  treeEnd: z
    .object({
      endedAt: instant,
      reason: endReasonSchema,
      actor: z.string().nullable().describe('who had what it left ended; null: it ended by itself'),
      killed,
    })
    .nullable()
    .describe('how the last of its processes ended; null while one lives'),
});

export const cliRunSchema = z.object({
  id: runId,
  name: z.string().nullable().describe('given with `--name`'),
  state: z
    .enum(['held', 'starting', 'running', 'exiting', 'exited'])
    .describe('`held`, at a gateway: it waits for a decision'),
  command: z.string(),
  cwd: z.string(),
  host: z.string().describe('`local`, or the name of the SSH host that it runs on'),
  mode: z.enum(['child', 'pty', 'pty-argv']).describe('`child`: on pipes'),
  pid: count.nullable(),
  sessionId: z.string(),
  backendId: z.string().describe('who started it: `cli`, `exec`'),
  labels: z.record(z.string(), z.string()),
  createdAt: instant,
  startedAt: instant.nullable(),
  lastOutputAt: instant
    .nullable()
    .describe('exact from `show` and of what has ended; in lists up to some seconds old, or null'),
  timeoutMs: amount.nullable(),
  idleTimeoutMs: amount.nullable(),
  leftovers: z.enum(['keep', 'end', 'fail']),
  ownerLoss: z.enum(['adopt', 'kill']),
  owner: z.object({ instanceId: z.string(), generation: count, epoch: count }),
  stalled: stallSchema.nullable().describe('why it stands still: its output cannot be kept'),
  shimPid: count
    .nullable()
    .describe('the process that holds it; this and the next four: from `show`'),
  graceMs: amount.nullable().describe('from SIGTERM to SIGKILL'),
  limits: runLimitsSchema.nullable().describe('that it was started with'),
  outputBytes: amount.nullable().describe('the length of its journal, with what was dropped'),
  droppedBytes: amount.nullable().describe('the beginning of it that is no longer kept'),
  exit: cliExitSchema.nullable(),
  treeEndedAt: instant.nullable().describe('null while something of it lives'),
});

export const cliEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('output'),
    stream: z.enum(['stdout', 'stderr']),
    at: instant,
    data: z.base64().describe('the bytes, in base64'),
    cursor,
  }),
  z.object({
    type: z.literal('gap'),
    missedBytes: amount.describe('dropped by the limit'),
    cursor,
  }),
  z.object({
    type: z.literal('damaged'),
    missedBytes: amount.describe('of the journal, which are not what was written'),
    cursor,
  }),
  z.object({
    type: z.literal('tail-lost'),
    missedBytes: amount.describe('that were written and are not there; 0: not known'),
    cursor,
  }),
  z.object({
    type: z.literal('unsaved'),
    missedBytes: amount.describe('that the disk did not take before the run was ended'),
    cursor,
  }),
  z.object({ type: z.literal('resize'), cols: count, rows: count, cursor }),
  z.object({ type: z.literal('attached'), terminals: count, cursor }),
]);
