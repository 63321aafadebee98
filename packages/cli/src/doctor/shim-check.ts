/*
 * The shim's program: is it there, and does it run? A file system mounted noexec,
 * or a binary of another architecture, is said in these words and not as a run
 * that mysteriously did not start.
 */
import { execFile } from 'node:child_process';
import { errnoOf } from '@clawdfather/kit';
import type { Finding } from './finding.ts';

const check = 'shim';
/* It prints one line. */
const limitMs = 10_000;

/* `run` resolves to what the program says to `version`. */
export async function checkShim(
  findPath: () => string,
  run: (path: string) => Promise<string> = askVersion,
): Promise<Finding> {
  let path: string;
  try {
    path = findPath();
  } catch {
    return {
      check,
      status: 'fail',
      summary: 'the shim has not been built',
      advice: 'In a checkout: npm run build:shim. It needs a C compiler.',
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
      advice: 'A file system mounted noexec, or a copy from another machine? npm run build:shim',
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
