/*
 * Runs that end when a test says so, without any call that could tell of it; and what a client hears without asking.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent, McpRig } from './mcp-rig.ts';

export interface Ending {
  /* A shell line that ends with this code when it is let go. */
  readonly command: string;
  letGo(): void;
}

let serial = 0;

/* A named pipe: opening it to write wakes exactly the reader, at once. */
export function createEnding({ cli }: Pick<McpRig, 'cli'>, code: number): Ending {
  serial += 1;
  const path = join(cli.env['HOME'] ?? '', `gate-${serial}`);
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
  return {
    command: `read word < ${path}; exit ${code}`,
    letGo: () => writeFileSync(path, 'go\n'),
  };
}

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
