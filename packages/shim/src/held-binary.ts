/*
 * The shim's program, held for as long as this process needs it. An upgrade replaces the directory of the installed package, and
 * for a moment nothing is there; then it is a program of another version. A gateway that lives through that starts the program it
 * was opened with: the kernel keeps a file whose name is gone while somebody has it open, and starts it through its descriptor.
 *
 * This works for a program only. A script is opened by its interpreter, after the descriptor was closed.
 */
import { closeSync, openSync } from 'node:fs';

export interface HeldBinary extends Disposable {
  /* Means the program in this process, and in what it forks until that starts another program. */
  readonly path: string;
}

export function holdBinary(path: string): HeldBinary {
  const fd = openSync(path, 'r');
  return { path: `/proc/self/fd/${fd}`, [Symbol.dispose]: () => closeSync(fd) };
}
