/*
 * The real command in a real process, with a state directory of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runDirectoriesIn } from '@clawdfather/testkit';

export const launcherPath = fileURLToPath(new URL('../../bin/clawdfather.cjs', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliRig {
  readonly stateDir: string;
  readonly env: Record<string, string>;
  /* Runs to its end. */
  clf(...args: string[]): Promise<CliResult>;
  clfWith(options: CliOptions, ...args: string[]): Promise<CliResult>;
  /* Starts it and hands it over. */
  start(options: CliOptions, ...args: string[]): CliProcess;
  /* Ids of runs that are not over. */
  live(): Promise<string[]>;
}

export interface CliOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

export interface CliProcess {
  readonly child: ChildProcess;
  readonly result: Promise<CliResult>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /* Resolves when what it wrote contains the text. */
  saw(text: string): Promise<void>;
}

export interface CliPlace {
  /* Of the test's own, which goes with it; absent: a new one. */
  readonly home?: string;
  /* Put before the command: setpriv, strace with their arguments. */
  readonly wrap?: readonly string[];
}

/* Every run that a test leaves is ended, and the directory goes. */
export function createCliRig(test: TestContext, place: CliPlace = {}): CliRig {
  const home = place.home ?? mkdtempSync(join(tmpdir(), 'clf-cli-'));
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    // Compiled once for all tests; with a home of their own they would all start cold.
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    CLAWDFATHER_STATE_DIR: join(home, 'state'),
    LANG: 'C.UTF-8',
    // `npm test` asks for the bundle, which is what users run.
    CLAWDFATHER_FROM: process.env['CLAWDFATHER_FROM'] ?? 'source',
  };
  const start = (options: CliOptions, ...args: string[]): CliProcess =>
    startProcess({ ...env, ...options.env }, options.input, [
      ...(place.wrap ?? []),
      ...self,
      ...args,
    ]);
  const clf = (...args: string[]): Promise<CliResult> => start({}, ...args).result;
  const rig: CliRig = {
    stateDir: join(home, 'state'),
    env,
    start,
    clf,
    clfWith: (options, ...args) => start(options, ...args).result,
    live: async () => (await clf('ps', '-q')).stdout.split('\n').filter(Boolean),
  };
  test.after(async () => {
    const ids = runDirectoriesIn(rig.stateDir);
    if (ids.length > 0) await clf('rm', '-f', ...ids);
    rmSync(home, { recursive: true, force: true });
  });
  return rig;
}

const self = [process.execPath, launcherPath];

export function startProcess(
  env: Record<string, string>,
  input: string | Uint8Array | undefined,
  [program = '', ...args]: readonly string[],
): CliProcess {
  const child = spawn(program, args, {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const stdout = (): string => Buffer.concat(out).toString();
  const stderr = (): string => Buffer.concat(err).toString();
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  // A command that does not read its input closes it.
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.end(input);
  const { promise: result, resolve, reject } = Promise.withResolvers<CliResult>();
  child.on('error', reject);
  child.on('close', (code, signal) =>
    resolve({ code, signal, stdout: stdout(), stderr: stderr() }),
  );
  const saw = async (text: string): Promise<void> => {
    while (!stdout().includes(text)) {
      const more = Promise.withResolvers<void>();
      child.stdout.once('data', () => more.resolve());
      const ended = result.then(() => {
        if (!stdout().includes(text)) throw new Error(`ended without "${text}": ${stderr()}`);
      });
      await Promise.race([more.promise, ended]);
    }
  };
  return { child, result, stdout, stderr, saw };
}
