/*
 * The directory of a drill, under the one for temporary files: a state directory, settings and a home of its own, and nothing of the
 * person's. A process of its own (sweep.ts) removes it with all that lives in it, also when the drill itself is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTicksOf } from '@clawdfather/supervisor/alive';
import type { Caller } from '../config.ts';
import { ownArgv, ownEnv } from '../gateway/own-program.ts';
import { drillDirPrefix, type SweptProcess } from './sweep.ts';

export interface DrillPlace extends AsyncDisposable {
  readonly stateDir: string;
  /* Where the drill listens for its agent. */
  readonly socketPath: string;
  /* Of every process of the drill. */
  readonly env: Readonly<Record<string, string>>;
  /* For the directory that the agent works in. */
  readonly workDir: string;
  /* From now on it goes with the drill. */
  watch(child: ChildProcess): void;
}

export const drillAgent = 'drill';

export function openDrillPlace({ env }: Pick<Caller, 'env'>, seed: string): DrillPlace {
  const dir = mkdtempSync(join(tmpdir(), drillDirPrefix));
  const stateDir = join(dir, 'state');
  const socketPath = join(dir, 'agent');
  const workDir = join(dir, 'work');
  const config = join(dir, 'config.jsonc');
  const ours = {
    PATH: env['PATH'] ?? '/usr/bin:/bin',
    HOME: dir,
    TMPDIR: tmpdir(),
    LANG: 'C.UTF-8',
    // Compiled once: with a cache of its own it would start cold.
    XDG_CACHE_HOME: env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache'),
    XDG_CONFIG_HOME: join(dir, 'config'),
    CLAWDFATHER_STATE_DIR: stateDir,
    CLAWDFATHER_CONFIG: config,
    ...ownEnv,
  };
  const sweeper = startSweeper(dir, ours);
  mkdirSync(workDir);
  const command = [...ownArgv, '__drill-agent', socketPath, seed];
  // The socket is in a directory that a shield would hide.
  const settings = { agents: { [drillAgent]: { command, env: ownEnv } }, shield: { mode: 'off' } };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  return {
    stateDir,
    socketPath,
    workDir,
    env: ours,
    watch: ({ pid = 0 }) => {
      const told: SweptProcess = { pid, startTicks: startTicksOf(pid) ?? 0 };
      sweeper.stdin?.write(`${JSON.stringify(told)}\n`);
    },
    [Symbol.asyncDispose]: () => endSweeper(sweeper),
  };
}

/* In a session of its own: Ctrl-C at the terminal is for the drill, not for what cleans up after it. */
function startSweeper(dir: string, env: Readonly<Record<string, string>>): ChildProcess {
  const [program, ...args] = [...ownArgv, '__drill-sweep', dir];
  const sweeper = spawn(program, args, {
    env,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // It has ended early: there is nobody to tell, and its end says so.
  sweeper.stdin?.on('error', () => {});
  return sweeper;
}

async function endSweeper(sweeper: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  sweeper.once('close', () => resolve());
  if (sweeper.exitCode !== null || sweeper.signalCode !== null) resolve();
  sweeper.stdin?.end();
  await promise;
}
