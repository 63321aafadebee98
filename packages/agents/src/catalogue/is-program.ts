/*
 * Whether a program of the settings is on this machine. It may be meant for SSH hosts, so one that is not here is no mistake.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export function isProgram(name: string, searchPath = ''): boolean {
  if (name.includes('/')) return isExecutable(name);
  return searchPath.split(delimiter).some((at) => at !== '' && isExecutable(join(at, name)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not ours to run.
    return false;
  }
}
