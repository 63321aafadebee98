/*
 * A real program on a PTY run, driven as an agent drives it: keys in, screens out, queries answered, no terminal anywhere.
 *
 * Waiting is for what the screen shows, never for time.
 */
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { createSupervisor, type ManagedRun, type RunExit } from '@clawdfather/supervisor';
import { encodeKeys } from '../../src/keys/encode-keys.ts';
import { encodePaste } from '../../src/keys/paste.ts';
import { openScreenFollower, type ScreenFollower } from '../../src/terminal/follow-screen.ts';
import { openQueryAnswerer } from '../../src/terminal/query-answerer.ts';
import type { Screen } from '../../src/terminal/terminal-model.ts';

export interface Program {
  press(...keys: string[]): Promise<void>;
  type(literal: string): Promise<void>;
  paste(text: string): Promise<void>;
  resize(cols: number, rows: number): Promise<void>;
  /* Resolves to the first screen that matches; rejects with the last one when the output ends. */
  shows(pattern: RegExp | ((screen: Screen) => boolean)): Promise<Screen>;
  exit(): Promise<RunExit>;
}

export interface ProgramRig {
  /* Of the test alone, empty at first. */
  readonly directory: string;
  open(...argv: [string, ...string[]]): Promise<Program>;
}

/* Why a test of this program cannot be run here, or false. */
export function whyNot(program: string): string | false {
  const isThere = (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return isThere ? false : `${program} is not installed`;
}

export async function createProgramRig(test: TestContext): Promise<ProgramRig> {
  const directory = mkdtempSync(join(tmpdir(), 'clf-program-'));
  const supervisor = await createSupervisor({
    stateDir: join(directory, 'state'),
    launcher: 'direct',
  });
  const closers: (() => Promise<unknown>)[] = [];
  test.after(async () => {
    for (const close of closers) await close();
    await supervisor.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    directory,
    open: async (...argv) => {
      const run = await supervisor.spawn({
        mode: 'pty-argv',
        argv,
        sessionId: 'test',
        backendId: 'test',
        cwd: directory,
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: directory,
          TERM: 'xterm-256color',
          LANG: 'C.UTF-8',
        },
        overallTimeoutMs: 120_000,
        cols: 80,
        rows: 24,
      });
      const follower = openScreenFollower(run);
      const answering = answerQueries(run);
      closers.push(async () => {
        await run.cancel();
        await run.wait();
        await answering;
        await follower.close();
      });
      return programOf(run, follower);
    },
  };
}

async function answerQueries(run: ManagedRun): Promise<void> {
  const answerer = await openQueryAnswerer({
    size: { cols: 80, rows: 24 },
    // It may have ended meanwhile.
    answer: (text) => run.write(text).catch(() => {}),
  });
  for await (const event of run.output()) await answerer.push(event);
  await answerer.settled();
  answerer.close();
}

function programOf(run: ManagedRun, follower: ScreenFollower): Program {
  return {
    press: async (...keys) => {
      const { modes } = await follower.look();
      const encoded = encodeKeys({ keys }, modes);
      if (!encoded.ok) throw new Error(encoded.problem);
      await run.write(encoded.bytes);
    },
    type: (literal) => run.write(literal),
    paste: async (text) => {
      const { modes } = await follower.look();
      await run.write(encodePaste(text, { isBracketed: modes.bracketedPaste }));
    },
    resize: (cols, rows) => run.resize({ cols, rows }),
    shows: async (pattern) => {
      const matches = (screen: Screen): boolean =>
        typeof pattern === 'function' ? pattern(screen) : pattern.test(screen.lines.join('\n'));
      for (;;) {
        const { screen, cursor } = await follower.look();
        if (matches(screen)) return screen;
        if (!(await saysMore(run, cursor))) {
          throw new Error(
            `the screen never showed ${String(pattern)}:\n${screen.lines.join('\n')}`,
          );
        }
      }
    },
    exit: () => run.wait(),
  };
}

/* Resolves with the next event after the cursor: true, or false at the end. */
async function saysMore(
  run: ManagedRun,
  cursor: Parameters<ManagedRun['output']>[0],
): Promise<boolean> {
  for await (const _event of run.output(cursor)) return true;
  return false;
}
