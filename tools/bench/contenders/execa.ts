/*
 * Contender: execa. A short command is awaited with its output, as its first example does; a long one is taken as a
 * stream and not gathered, or 2 GB of it would have to fit into a string.
 */
import { execa } from 'execa';
import { commandEnv, type Contender } from './contender.ts';

export function createExeca(): Contender {
  const common = { env: { ...commandEnv }, extendEnv: false, reject: false } as const;
  return {
    run: async ([file, ...args]) => void (await execa(file, args, common)),
    start: async ([file, ...args], onOutput) => {
      const child = execa(file, args, { ...common, buffer: false, encoding: 'buffer' });
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
