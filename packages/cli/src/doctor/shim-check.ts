/*
 * The shim's program: is it there, is it the one that was installed, and does it run? A file system mounted noexec,
 * or a binary of another architecture, is said in these words and not as a run
 * that mysteriously did not start.
 */
import { execFile } from 'node:child_process';
import { errnoOf } from '@clawdfather/kit';
import type { Finding } from './finding.ts';

const check = 'shim';
/* It prints one line. */
const limitMs = 10_000;

export interface ShimProgram {
  /* Throws an error with a hint when it is not there. */
  readonly findPath: () => string;
  /* Whether it is the one that the installed package lists. */
  readonly compare: (path: string) => 'same' | 'changed' | 'unlisted';
  /* What it says to `version`. */
  readonly run?: (path: string) => Promise<string>;
}

export async function checkShim({
  findPath,
  compare,
  run = askVersion,
}: ShimProgram): Promise<Finding> {
  let path: string;
  let compared: ReturnType<typeof compare>;
  try {
    path = findPath();
    compared = compare(path);
  } catch (error) {
    const summary = error instanceof Error ? error.message : String(error);
    const hint = error instanceof Error && 'hint' in error ? error.hint : undefined;
    const advice = typeof hint === 'string' ? hint : 'Install Clawdfather anew.';
    return { check, status: 'fail', summary, advice };
  }
  if (compared === 'changed') {
    return {
      check,
      status: 'fail',
      summary: `${path} is not the program that was installed`,
      advice: 'It was damaged, or somebody has changed it. Install Clawdfather anew.',
    };
  }
  try {
    const said = (await run(path)).trim();
    return { check, status: 'ok', summary: said };
  } catch (error) {
    const code = errnoOf(error) ?? 'unknown';
    return {
      check,
      status: 'fail',
      summary: `${path} cannot be run (${code})`,
      advice:
        compared === 'unlisted'
          ? 'A file system mounted noexec, or a copy from another machine? npm run build:shim'
          : 'Is it on a file system that is mounted noexec? Install Clawdfather on another one.',
    };
  }
}

function askVersion(path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(path, ['version'], { timeout: limitMs, env: {} }, (error, stdout) => {
    if (error === null) resolve(stdout);
    else reject(error);
  });
  return promise;
}
