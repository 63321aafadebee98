/*
 * What a person may say about a run beside the command itself: its name, its labels and its bounds. The command line and the HTTP
 * API take these; agents do not.
 */
import { z } from 'zod';

/* Usable wherever an id is, in any shell, without quotes. */
export const runNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
    'is not a name: use letters, digits, dots, dashes and underscores, at most 63 of them',
  );

/* Labels that the gateway and the tools set. A caller that could set them could speak for another account. */
export const reservedLabels = [
  'account',
  'requester',
  'host',
  'hostName',
  'hostDirectory',
  'runAs',
  'trace',
  'request',
  'terminal',
  'thread',
  'reads',
  'shield',
  'tools',
  'toolsFor',
  'askedIn',
  'allowedBy',
  'journalMax',
  'name',
] as const;

const labelsMax = 32;
const labelCharactersMax = 256;
/* Labels are shown on terminals and written to logs. */
const labelText = z
  .string()
  .max(labelCharactersMax)
  .regex(/^\P{Cc}*$/u, 'has control characters');
const whole = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

export const runLabelsSchema = z
  .record(labelText.min(1), labelText)
  .refine((labels) => Object.keys(labels).length <= labelsMax, `at most ${labelsMax} labels`)
  .refine(
    (labels) =>
      !Object.keys(labels).some((name) => (reservedLabels as readonly string[]).includes(name)),
    `these labels are set by the gateway: ${reservedLabels.join(', ')}`,
  );

export const runLimitsSchema = z.strictObject({
  openFiles: z.int().min(1).max(1_048_576).optional(),
  cpuSeconds: z.int().min(1).max(2_147_483_647).optional(),
  fileBytes: whole.optional(),
  memoryBytes: whole.optional().describe('Of the whole run; needs a cgroup'),
  processes: whole.optional().describe('Of the whole run; needs a cgroup'),
});

export const runExtrasFields = {
  name: runNameSchema
    .optional()
    .describe('Unique among your living runs; usable instead of the id'),
  labels: runLabelsSchema.optional().describe('For finding it again'),
  graceMs: z.int().min(1).max(3_600_000).optional().describe('From SIGTERM to SIGKILL'),
  limits: runLimitsSchema.optional().describe('What the kernel enforces'),
  nice: z
    .int()
    .min(0)
    .max(19)
    .optional()
    .describe('Scheduling priority; the gateway may be root, so only lower ones'),
  journalBytesMax: z
    .int()
    .min(65_536)
    .max(1_099_511_627_776)
    .optional()
    .describe('Output that is kept, the newest'),
  shield: z
    .boolean()
    .optional()
    .describe('Whether it runs in a shield, as all that agents start does'),
  tools: z
    .boolean()
    .optional()
    .describe('For an agent: a shield, and in it our tools, which CLAWDFATHER_TOOLS names'),
} as const;

export type RunExtras = Readonly<z.infer<z.ZodObject<typeof runExtrasFields>>>;
