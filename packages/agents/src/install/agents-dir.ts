/*
 * The directory that agents are installed into. What lies there is run, so nobody else may write to it.
 */
import { openPrivateDir } from '@clawdfather/kit/files';
import { AgentsError } from '../errors.ts';

export function openAgentsDir(directory: string): void {
  openPrivateDir(
    directory,
    ({ path, why, cure }) =>
      new AgentsError('agents-dir-unsafe', `agents cannot be kept in ${path}: ${why}`, {
        detail: { path },
        hint: cure,
      }),
  );
}
