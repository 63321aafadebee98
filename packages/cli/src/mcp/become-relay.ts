/*
 * `clf mcp` inside of a shield: the registry is not there, and the tools are served from outside. So this process becomes the relay,
 * a small C program between the agent and the one socket that was let in.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { toolsDirInside, toolsSocketName, toolsVariable } from '@clawdfather/protocol';
import { shimBinaryPath } from '@clawdfather/supervisor';
import type { Config } from '../config.ts';
import { CliError } from '../errors.ts';

const usualSocket = join(toolsDirInside, toolsSocketName);

/* An agent may clean the environment of the servers that it starts, so the usual place is looked at as well. */
export function toolSocketFrom(env: Config['env']): string | undefined {
  const named = env[toolsVariable] ?? '';
  if (named !== '') return named;
  return lstatSync(usualSocket, { throwIfNoEntry: false })?.isSocket() === true
    ? usualSocket
    : undefined;
}

export function becomeRelay(socket: string, env: Config['env']): never {
  const program = shimBinaryPath();
  const kept = Object.entries(env).filter(([, value]) => value !== undefined);
  process.execve?.(program, [program, 'relay', socket], Object.fromEntries(kept));
  throw new CliError('usage', `cannot become ${program}`);
}
