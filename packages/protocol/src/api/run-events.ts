/*
 * What a run's output is as server-sent events (`GET /api/v1/runs/:id/output` with `Accept: text/event-stream`). The name of the
 * event says which of these its data is; its id is the cursor after it. `exit` is the last one.
 */
import { z } from 'zod';
import { timeSchema } from './common.ts';
import { runExitSchema } from './runs.ts';

export const runEventSchemas = {
  output: z.object({
    stream: z.enum(['stdout', 'stderr']),
    at: timeSchema,
    /* Base64: output is bytes, not text. */
    data: z.string(),
  }),
  /* The oldest output was dropped, because the journal was full. */
  gap: z.object({ missedBytes: z.int() }),
  /* The journal was cut, deleted or altered: so many of its bytes are not what was written. Reading goes on after them. */
  damaged: z.object({ missedBytes: z.int() }),
  /* The journal has no end record. This many bytes are missing; 0: the number is not known. */
  'tail-lost': z.object({ missedBytes: z.int().default(0) }),
  resize: z.object({ cols: z.int(), rows: z.int() }),
  exit: z.object({ runId: z.string(), exit: runExitSchema }),
} as const;

export type RunEventName = keyof typeof runEventSchemas;

export type RunEvent = {
  readonly [Name in RunEventName]: {
    readonly name: Name;
    /* Where to go on after this event. */
    readonly cursor: string;
    readonly data: z.output<(typeof runEventSchemas)[Name]>;
  };
}[RunEventName];
