/*
 * Which file is started for a command: what a lease says of its process (AP4). Links are followed, because the kernel names the file.
 */
import { accessSync, constants, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

export interface AgentProgram {
  readonly root: string;
  readonly path: string;
}

export function findProgram(name: string, searchPath = ''): AgentProgram {
  const places = name.includes('/') ? [name] : searchPath.split(':').map((at) => join(at, name));
  const path = places.filter(isAbsolute).map(realProgram).find(Boolean) ?? name;
  // What is not found does not start; a root that holds nothing proves nothing.
  return { path, root: isAbsolute(path) ? dirname(path) : '' };
}

function realProgram(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return realpathSync(path);
  } catch {
    // Not there, or not ours to run: the next place is tried.
    return undefined;
  }
}
