/*
 * Main's side of a gateway of turns: loaded beforehand, told to go, killed.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createSignalBell } from '@clawdfather/kit';
import { placesIn, type TurnsMessage, type TurnsSettings } from './settings.ts';

export interface TurnsGateway {
  readonly pid: number;
  readonly loaded: Promise<void>;
  /* Settles also when it ends before. */
  readonly ready: Promise<void>;
  /* It has passed so many points, or has ended. */
  passed(points: number): Promise<void>;
  /* All that it failed with. */
  readonly failures: readonly string[];
  readonly isFinished: () => boolean;
  go(): void;
  kill(): Promise<void>;
  readonly ended: Promise<void>;
}

const standstillMs = 5_000;
const stderrCharsMax = 20_000;

export function startTurnsGateway(settings: TurnsSettings): TurnsGateway {
  const { bundle, cache } = placesIn(settings.dir);
  const child = spawn(process.execPath, [join(bundle, 'main.cjs'), JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Compiled once for all of them.
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  });
  const loaded = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const failures: string[] = [];
  const progress = createSignalBell();
  let points = 0;
  let isEnded = false;
  let isFinished = false;
  let stderr = '';
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-stderrCharsMax);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as TurnsMessage;
    if (message.type === 'loaded') loaded.resolve();
    if (message.type === 'ready') ready.resolve();
    if (message.type === 'point') {
      points += 1;
      progress.ring();
    }
    if (message.type === 'finished') isFinished = true;
    if (message.type === 'failed') failures.push(message.error);
  });
  child.on('error', ended.reject);
  child.on('close', (code, signal) => {
    if (signal === null && code !== 0) failures.push(`it ended with ${code}: ${stderr}`);
    isEnded = true;
    progress.ring();
    loaded.resolve();
    ready.resolve();
    ended.resolve();
  });
  return {
    pid: child.pid ?? 0,
    loaded: loaded.promise,
    ready: ready.promise,
    failures,
    passed: async (wanted) => {
      const signal = AbortSignal.timeout(standstillMs);
      // One that has nothing to do passes no more: it has lived long enough.
      while (points < wanted && !isEnded && !signal.aborted) {
        await progress.wait(signal).catch(() => undefined);
      }
    },
    isFinished: () => isFinished,
    go: () => child.stdin.write('go\n'),
    kill: async () => {
      child.kill('SIGKILL');
      await ended.promise;
    },
    ended: ended.promise,
  };
}
