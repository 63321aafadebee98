/*
 * A terminal for tests: the command runs inside a PTY run of our own supervisor,
 * and the terminal model is the terminal, answers included.
 *
 * Waiting is for what the screen shows, never for time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createSupervisor, type ManagedRun, type RunExit } from '@clawdfather/supervisor';
import { openTerminalModel } from '@clawdfather/tools/terminal';
import { launcherPath } from './cli-process.ts';

export interface TestTerminal {
  readonly run: ManagedRun;
  type(text: string): Promise<void>;
  resize(cols: number, rows: number): Promise<void>;
  /* Resolves when a line of the screen matches; rejects with the screen when the output ends. */
  shows(pattern: RegExp): Promise<void>;
  screen(): string;
  /* Everything that was written to it. */
  readonly raw: () => string;
  /* What it answered to queries. */
  readonly answered: () => string;
  exit(): Promise<RunExit>;
}

export interface TerminalRig {
  /* Our command, with these arguments. */
  open(args: readonly string[], size?: { cols: number; rows: number }): Promise<TestTerminal>;
  /* Any program. */
  openProgram(
    argv: readonly [string, ...string[]],
    size?: { cols: number; rows: number },
  ): Promise<TestTerminal>;
}

export async function createTerminalRig(
  test: TestContext,
  env: Readonly<Record<string, string>>,
): Promise<TerminalRig> {
  const directory = mkdtempSync(join(tmpdir(), 'clf-tty-'));
  const supervisor = await createSupervisor({
    stateDir: join(directory, 'state'),
    launcher: 'direct',
  });
  const opened: ManagedRun[] = [];
  test.after(async () => {
    for (const run of opened) await run.cancel();
    for (const run of opened) await run.wait();
    await supervisor.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const openProgram: TerminalRig['openProgram'] = async (argv, size = { cols: 80, rows: 12 }) => {
    const run = await supervisor.spawn({
      mode: 'pty-argv',
      argv,
      sessionId: 'test',
      backendId: 'test',
      cwd: '/',
      env: { ...env, TERM: 'xterm-256color' },
      overallTimeoutMs: 120_000,
      // A detached run is a descendant of the terminal it was started in, and outlives its root.
      leftovers: 'keep',
      ...size,
    });
    opened.push(run);
    return watchTerminal(run, size);
  };
  return {
    openProgram,
    open: (args, size) => openProgram([process.execPath, launcherPath, ...args], size),
  };
}

async function watchTerminal(
  run: ManagedRun,
  size: { cols: number; rows: number },
): Promise<TestTerminal> {
  const raw: Buffer[] = [];
  let answered = '';
  let change = Promise.withResolvers<void>();
  let isEnded = false;
  const model = await openTerminalModel({
    ...size,
    answer: (text) => {
      answered += text;
      void run.write(text).catch(() => {});
    },
  });
  const pump = async (): Promise<void> => {
    for await (const event of run.output()) {
      if (event.kind !== 'output') continue;
      raw.push(Buffer.from(event.bytes));
      await model.write(event.bytes);
      change.resolve();
      change = Promise.withResolvers();
    }
  };
  const pumped = pump().finally(() => {
    isEnded = true;
    change.resolve();
  });
  pumped.catch(() => {});
  const screen = (): string => model.screen().lines.join('\n').trimEnd();
  return {
    run,
    type: (text) => run.write(text),
    resize: async (cols, rows) => {
      model.resize({ cols, rows });
      await run.resize({ cols, rows });
    },
    shows: async (pattern) => {
      for (;;) {
        const next = change.promise;
        if (pattern.test(screen())) return;
        if (isEnded) throw new Error(`the screen never showed ${pattern}:\n${screen()}`);
        await next;
      }
    },
    screen,
    raw: () => Buffer.concat(raw).toString(),
    answered: () => answered,
    exit: async () => {
      await pumped;
      return run.wait();
    },
  };
}
