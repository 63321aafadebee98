/*
 * What a client hears without asking.
 */
import type { Agent } from './rig.ts';

export interface Heard {
  readonly all: readonly Readonly<Record<string, unknown>>[];
  /* Resolves with the notification that names the run. */
  of(runId: string): Promise<Readonly<Record<string, unknown>>>;
}

/* Up to 2025-11-25. */
export function hearMessages({ client }: Agent): Heard {
  const heard = createHeard();
  client.setNotificationHandler('notifications/message', ({ params }) => heard.add(params));
  return heard;
}

/* 2026-07-28. */
export function hearUpdates({ client }: Agent): Heard {
  const heard = createHeard();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    heard.add(params),
  );
  return heard;
}

function createHeard(): Heard & { add(params: object): void } {
  const all: Readonly<Record<string, unknown>>[] = [];
  const waiting = new Set<() => void>();
  return {
    all,
    add: (params) => {
      all.push({ ...params });
      for (const wake of waiting) wake();
    },
    of: async (runId) => {
      for (;;) {
        const found = all.find((params) => JSON.stringify(params).includes(runId));
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
  };
}
