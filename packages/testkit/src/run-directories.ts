/*
 * Which runs a state directory holds, asked without a supervisor.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrno } from '@clawdfather/kit';

/** The ids of the runs; none where none ever was. A gateway writes hidden files here to see that it can, and those are not runs. */
export function runDirectoriesIn(stateDir: string): string[] {
  try {
    return readdirSync(join(stateDir, 'runs')).filter((name) => !name.startsWith('.'));
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return [];
    throw error;
  }
}
