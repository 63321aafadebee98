/*
 * Where built-in agents are installed: beside a person's own programs and not among our own files, since an agent has to see it from
 * inside of its shield. It is read-only there.
 */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Config } from '../config.ts';

export function agentsDirectory({ env }: Pick<Config, 'env'>): string {
  const own = env['XDG_DATA_HOME'] ?? '';
  const home = env['HOME'] || homedir();
  return join(isAbsolute(own) ? own : join(home, '.local/share'), 'clawdfather/agents');
}
