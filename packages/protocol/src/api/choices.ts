/*
 * What agents let people choose, such as a mode or a model, and what was chosen.
 */
import { z } from 'zod';
import { lineSchema, timeSchema } from './common.ts';

/* As many as a thread keeps. */
const chosenMax = 16;
const keySchema = lineSchema(64);
const valueSchema = lineSchema(256);

function isFew(chosen: object): boolean {
  return Object.keys(chosen).length <= chosenMax;
}
const few = { message: `choose at most ${chosenMax}` };

/* A value for each choice, which is named by its id or its category. */
export const chosenSchema = z.record(keySchema, valueSchema).refine(isFew, few);
export const changedChosenSchema = z.record(keySchema, valueSchema.nullable()).refine(isFew, few);

export const choiceSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    category: z
      .string()
      .nullable()
      .describe('`mode`, `model`, `thought_level`, or a word of the agent'),
    description: z.string().nullable(),
    values: z.array(
      z.object({ value: z.string(), name: z.string(), description: z.string().nullable() }),
    ),
    /* So many more are offered, and not told. */
    more_values: z.int(),
    /* Of the session that told it. */
    current: z.string().nullable(),
  })
  .meta({ id: 'Choice' });

export const currentChoiceSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    category: z.string().nullable(),
    value: z.string(),
    value_name: z.string(),
  })
  .meta({ id: 'CurrentChoice' });

export const offeredAnswer = z.object({
  items: z.array(choiceSchema),
  /* Null: no session of this agent has answered there yet, or one is open now. */
  seen_at: timeSchema.nullable(),
});
