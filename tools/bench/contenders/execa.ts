/*
 * Contender: execa. Output is taken as a stream and not gathered, or 2 GB of it would have to fit into a string.
 */
import { execa } from 'execa';
import { commandEnv, type Contender } from './contender.ts';

export function createExeca(): Contender {
  return {
    start: async ([file, ...args], onOutput) => {
      const child = execa(file, args, {
        env: { ...commandEnv },
        extendEnv: false,
        buffer: false,
        encoding: 'buffer',
        reject: false,
      });
      child.stdout.on('data', onOutput);
      child.stderr.on('data', onOutput);
      return {
        pid: child.pid ?? 0,
        ended: child.then(() => undefined),
        write: (text) => void child.stdin.write(text),
        kill: () => void child.kill(),
      };
    },
    close: async () => {},
  };
}
