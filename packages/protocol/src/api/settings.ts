/*
 * What an account sets for itself.
 */
import { z } from 'zod';
import { endpoints } from './endpoint.ts';

const minuteSeconds = 60;

/* 5 minutes to 4 hours. */
const idleTimeoutSeconds = z
  .int()
  .min(5 * minuteSeconds)
  .max(240 * minuteSeconds);

const notifications = z.strictObject({
  approval: z.boolean(),
  question: z.boolean(),
  done: z.boolean(),
  failed: z.boolean(),
  host_lost: z.boolean(),
});

const settingsSchema = z
  .object({ idle_timeout_seconds: idleTimeoutSeconds, notifications })
  .meta({ id: 'Settings' });

export const settingsEndpoints = endpoints({
  get: {
    method: 'GET',
    path: '/api/v1/settings',
    summary: 'The settings of your account',
    access: 'read',
    answer: settingsSchema,
  },
  update: {
    method: 'PATCH',
    path: '/api/v1/settings',
    summary: 'Change some of them',
    access: 'admin',
    body: z
      .strictObject({
        idle_timeout_seconds: idleTimeoutSeconds,
        notifications: notifications.partial(),
      })
      .partial(),
    answer: settingsSchema,
  },
});
