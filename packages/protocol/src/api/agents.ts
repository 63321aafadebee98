/*
 * The agents that can be asked, and what each lets people choose.
 */
import { z } from 'zod';
import { offeredAnswer } from './choices.ts';
import { idSchema, lineSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

/* What comes of trying an agent. */
const agentTestOutcomeSchema = z.enum([
  'works',
  'not-startable',
  'not-signed-in',
  'exited',
  'no-acp',
  'too-slow',
  'refused',
]);

export const agentsEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/agents',
    summary: 'The agents that can be asked here',
    access: 'read',
    answer: z.object({
      default_agent: z.string().nullable(),
      items: z.array(
        z.object({
          name: z.string(),
          title: z.string(),
          /* Configured by its command, or built in. */
          source: z.enum(['settings', 'built-in']),
          is_installed: z.boolean(),
          version: z.string().nullable(),
          is_signed_in: z
            .boolean()
            .nullable()
            .describe('By a variable or a file of its sign-in; null: not known of this agent'),
          last_test: z
            .object({
              outcome: agentTestOutcomeSchema,
              at: timeSchema,
            })
            .nullable()
            .describe('Of `clf agents test` on the machine of the gateway, for what starts now'),
        }),
      ),
    }),
  },
  choices: {
    method: 'GET',
    path: '/api/v1/agents/:name/choices',
    summary: 'What an agent let you choose when it last began a session: its modes, its models',
    access: 'read',
    params: z.object({ name: lineSchema(64) }),
    query: z.strictObject({
      connection_id: idSchema.optional().describe('Absent: on the machine of the gateway'),
    }),
    answer: offeredAnswer,
    errors: ['not_found'],
  },
});
