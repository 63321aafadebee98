/*
 * Flags that are about processes of the machine that a command is started from. On an SSH host they would bind only the client that
 * carries the command there, so they are refused: what was asked for would not be so.
 */
import { flagName } from '../args/flag.ts';
import type { Config } from '../config.ts';
import { usageError } from '../errors.ts';

const hereOnly = [
  'shield',
  'tools',
  'nice',
  'limitOpenFiles',
  'limitCpu',
  'limitFileSize',
  'limitMemory',
  'limitProcesses',
  // A command on a host belongs to the session on that host.
  'session',
  'cleanEnv',
] as const;

type HereOnly = Partial<Readonly<Record<(typeof hereOnly)[number], unknown>>>;

export function refuseOnHost(flags: HereOnly, { origins }: Pick<Config, 'origins'>): void {
  const asked: string[] = hereOnly.filter(
    (key) => flags[key] !== undefined && flags[key] !== false,
  );
  // From a file these are the habits of this machine, and do not reach further.
  for (const key of ['run.leftovers', 'run.ownerLoss', 'exec.leftovers'] as const) {
    if (origins[key].kind === 'flag') asked.push(key.split('.')[1] ?? key);
  }
  if (asked.length === 0) return;
  const names = asked.map((key) => `--${flagName(key)}`).join(', ');
  throw usageError(
    `${names}: not with --host`,
    'A command on an SSH host has the limits and the environment of a login there.',
  );
}
