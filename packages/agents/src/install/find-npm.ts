/*
 * npm, to be run by our own Node: an older one makes npm pick older versions of packages, silently.
 */
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { AgentsError } from '../errors.ts';

export interface FoundNpm {
  readonly argv: readonly string[];
}

/** Looks beside our Node first, then in PATH. */
export function findNpm(node: string, path: string): FoundNpm {
  const beside = join(dirname(node), '../lib/node_modules/npm/bin/npm-cli.js');
  if (existsSync(beside)) return { argv: [node, beside] };
  for (const directory of path.split(delimiter)) {
    // A relative directory would mean another program in each working directory.
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, 'npm');
    if (!isExecutable(candidate)) continue;
    const real = realpathSync(candidate);
    // Some systems wrap it in a shell script, which finds our Node in the PATH that we give it.
    return { argv: real.endsWith('.js') ? [node, real] : [candidate] };
  }
  throw new AgentsError('install-no-npm', 'npm is not on this machine, and agents come from npm', {
    hint: 'install npm (Debian: apt-get install npm), or configure a command that is there: agents.NAME.command',
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
