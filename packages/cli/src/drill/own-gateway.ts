/*
 * A gateway of the drill's own, in a process of its own: started until it listens, and killed as a crash would.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { deferred, orAborted } from '@clawdfather/kit';
import { CliError } from '../errors.ts';
import { ownArgv } from '../gateway/own-program.ts';
import type { DrillPlace } from './drill-place.ts';

export interface DrillGateway {
  readonly pid: number;
  readonly url: string;
  /* Signs in, once. */
  readonly link: string;
  /* With SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

interface Serving {
  readonly url: string;
  readonly loginLink: string;
  readonly pid: number;
}

/* The last words of one that does not start. */
const wordsMax = 2_000;

export async function startDrillGateway(
  place: DrillPlace,
  signal: AbortSignal,
): Promise<DrillGateway> {
  const [program, ...args] = [...ownArgv, 'serve', '--json', '--listen', '127.0.0.1:0'];
  // Ctrl-C at the terminal is for the drill.
  const child = spawn(program, args, {
    env: place.env,
    cwd: place.workDir,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  place.watch(child);
  const ended = deferred();
  const serving = deferred<Serving>();
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = `${words}${text}`.slice(-wordsMax);
  });
  createInterface({ input: child.stdout }).once('line', (line) =>
    serving.resolve(JSON.parse(line) as Serving),
  );
  child.once('error', (error) => serving.reject(error));
  child.once('close', () => {
    ended.resolve();
    serving.reject(new CliError('drill-failed', `the gateway did not start: ${words.trim()}`));
  });
  const { url, loginLink, pid } = await orAborted(serving.promise, signal);
  return {
    pid,
    url,
    link: loginLink,
    kill: async () => {
      child.kill('SIGKILL');
      await orAborted(ended.promise, signal);
    },
  };
}
