/*
 * Contender: node:child_process, as it comes.
 *
 * `child_process-group` is the same in a process group of its own, which is what people do who want to kill more
 * than one process.
 */
import { spawn } from 'node:child_process';
import { commandEnv, type Contender, runToEnd } from './contender.ts';

export function createRaw({ isGroup }: { readonly isGroup: boolean }): Contender {
  const start: Contender['start'] = async ([file, ...args], onOutput) => {
    const child = spawn(file, args, { env: { ...commandEnv }, detached: isGroup });
    const ended = new Promise<void>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', () => resolve());
    });
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    /* A killed reader is no news here. */
    child.stdin.on('error', () => {});
    const pid = child.pid ?? 0;
    return {
      pid,
      ended,
      write: (text) => void child.stdin.write(text),
      kill: () => void (isGroup ? process.kill(-pid, 'SIGTERM') : child.kill('SIGTERM')),
    };
  };
  return { run: (argv) => runToEnd(start, argv), start, close: async () => {} };
}
