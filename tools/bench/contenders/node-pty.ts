/*
 * Contender: node-pty, from a build of it that ships its binary (docs/dependencies.md).
 */
import { spawn } from '@lydell/node-pty';
import { commandEnv, type Contender, runToEnd } from './contender.ts';

export function createNodePty(): Contender {
  const start: Contender['start'] = async ([file, ...args], onOutput) => {
    /* With no encoding it hands over bytes, although its types say otherwise. */
    const terminal = spawn(file, args, { env: { ...commandEnv }, encoding: null });
    terminal.onData((data: string | Uint8Array) =>
      onOutput(typeof data === 'string' ? Buffer.from(data) : data),
    );
    const ended = new Promise<void>((resolve) => void terminal.onExit(() => resolve()));
    return {
      pid: terminal.pid,
      ended,
      write: (text) => terminal.write(text),
      kill: () => terminal.kill(),
    };
  };
  return { run: (argv) => runToEnd(start, argv), start, close: async () => {} };
}
