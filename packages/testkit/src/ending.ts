/*
 * A command that ends when a test says so, without any call that could tell of it.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Ending {
  /** A shell line that ends with this code when it is let go. */
  readonly command: string;
  letGo(): void;
}

let serial = 0;

/** A named pipe in this directory: opening it to write wakes exactly the reader, at once. */
export function createEnding(directory: string, code: number): Ending {
  serial += 1;
  const path = join(directory, `gate-${serial}`);
  execFileSync('mkfifo', [path]);
  return {
    command: `read word < ${path}; exit ${code}`,
    letGo: () => writeFileSync(path, 'go\n'),
  };
}
