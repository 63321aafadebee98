/*
 * Runs a command as agents do, on this machine, at a gateway, or out of a shield: waits for a while, then lets it go on in the background.
 */
import type { ExecParams, ExecResult } from '@clawdfather/protocol';
import type { CommandContext } from '../command.ts';
import { findPlaceOf, type HostFlag, isElsewhere } from '../hosts/place-of-host.ts';
import { toolSocketFrom } from '../mcp/become-relay.ts';
import type { Target } from '../sign-in/find-gateway.ts';

export interface ExecCall {
  /* Gives the command up: it is ended. */
  readonly signal: AbortSignal;
  /* Output as it comes, cleaned. */
  readonly onOutput?: (text: string) => void;
}

export interface Executor {
  /* What follows `clf COMMAND` so that it means the same place. */
  readonly flag: string;
  exec(params: ExecParams, call: ExecCall): Promise<ExecResult>;
  /* Lets go and ends nothing: `exec` rejects with `tools-closed`. */
  leave(): void;
  /* Resolves when nothing lives of what was given up; `hurry` leaves it no more time. */
  ended(hurry: AbortSignal): Promise<void>;
}

export async function withExecutor<Result>(
  context: CommandContext & HostFlag,
  use: (executor: Executor) => Promise<Result>,
): Promise<Result> {
  const socket = toolSocketFrom(context.config.env);
  if (socket !== undefined) {
    const { withExecutorInShield } = await import('./exec-in-shield.ts');
    return withExecutorInShield(socket, use);
  }
  const target = findPlaceOf(context);
  if (target !== undefined) {
    const { withExecutorAt } = await import('./gateway/exec-at-gateway.ts');
    return withExecutorAt(context, target, use);
  }
  const { withExecutorHere } = await import('./exec-here.ts');
  return withExecutorHere(context, use);
}

export interface Workdir {
  /* Where the caller is, with what was typed. */
  readonly here: string;
  readonly typed: string | undefined;
  readonly host: string | undefined;
}

/* A path of this machine means nothing on another one, where the gateway or the host has a directory of its own. */
export function workdirOf(target: Target | undefined, { here, typed, host }: Workdir) {
  const isHere = target === undefined || target.isLocal;
  return isHere && !isElsewhere(host) ? here : typed;
}
