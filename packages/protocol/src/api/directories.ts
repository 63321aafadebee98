/*
 * Where work is begun: the directories of earlier threads, and what is below the one that is being typed. Names of directories only.
 */
import { z } from 'zod';
import { idSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

/* As Linux takes them. */
const pathMax = 4_096;

export const directoriesEndpoints = endpoints({
  suggest: {
    method: 'GET',
    path: '/api/v1/directories',
    summary:
      'Directories to begin in, on this machine or on a connection: those of your threads and runs, newest first, and those that begin with `prefix`. Opens no connection',
    access: 'person',
    query: z.strictObject({
      connection_id: idSchema.optional(),
      /* `/srv/pro`, `~/`; nothing: the home directory. */
      prefix: z
        .string()
        .max(pathMax)
        .regex(/^(?:$|\/|~$|~\/)/, 'begins with / or ~/')
        .regex(/^\P{Cc}*$/u, 'has control characters')
        .default(''),
    }),
    answer: z.object({
      recent: z.array(z.object({ directory: z.string(), used_at: timeSchema })),
      /* Whole, so that one of them can be the next prefix, with a / behind it. */
      items: z.array(z.object({ name: z.string(), directory: z.string() })),
      /* There are more that begin so. */
      has_more: z.boolean(),
      /* Why there are no items: there is no session on the connection, you run nothing on this machine, it is not there or cannot be read, it took too long, earlier looks of yours take too long, it is outside of what is suggested. */
      unlisted: z
        .enum(['not_connected', 'not_allowed', 'unreadable', 'no_answer', 'busy', 'outside'])
        .nullable(),
    }),
    errors: ['not_found'],
  },
});
