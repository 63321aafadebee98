/*
 * From the start of the process to its first answer: `clawdfather serve` as it is installed, on a state directory that has been
 * used before, against a Fastify with one route. Both with Node's cache of compiled code, in turns.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createSystemClock } from '@clawdfather/kit';

export interface StartRounds {
  readonly emptyMs: readonly number[];
  readonly serveMs: readonly number[];
}

export interface StartOptions {
  readonly directory: string;
  readonly rounds: number;
}

const clock = createSystemClock();
const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const command = pathOf('../../../packages/cli/bin/clawdfather');

export async function measureStart({ directory, rounds }: StartOptions): Promise<StartRounds> {
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: `${directory}/compiled`,
    XDG_CACHE_HOME: `${directory}/cache`,
    XDG_CONFIG_HOME: `${directory}/config`,
    CLAWDFATHER_STATE_DIR: `${directory}/state`,
    CLAWDFATHER_FROM: 'bundle',
  };
  const startEmpty = (): Promise<number> =>
    timeToAnswer({ env, command: process.execPath, args: [pathOf('empty-server.ts')], path: '' });
  const startServe = (): Promise<number> => {
    const args = ['serve', '--json', '--listen', '127.0.0.1:0'];
    return timeToAnswer({ env, command, args, path: '/readyz' });
  };
  // Migrations, keys and caches are made once, not at every start.
  await startEmpty();
  await startServe();
  const emptyMs: number[] = [];
  const serveMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    emptyMs.push(await startEmpty());
    serveMs.push(await startServe());
  }
  return { emptyMs, serveMs };
}

interface Start {
  readonly env: NodeJS.ProcessEnv;
  readonly command: string;
  readonly args: readonly string[];
  readonly path: string;
}

async function timeToAnswer(start: Start): Promise<number> {
  const sinceMs = clock.monotonicMs();
  const child = spawn(start.command, start.args, {
    env: start.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = JSON.parse(String(line)) as { readonly url: string };
  const answer = await fetch(url + start.path);
  await answer.text();
  const tookMs = clock.monotonicMs() - sinceMs;
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  child.kill('SIGTERM');
  await exited;
  return tookMs;
}
