/*
 * Runs a command as agents do, on this machine or at a gateway: waits for a while, then lets it go on in the background.
 */
import type { ExecParams, ExecResult } from '@clawdfather/protocol';
import type { CommandContext } from '../command.ts';
import { findPlace, type Target } from '../sign-in/find-gateway.ts';

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
  context: CommandContext,
  use: (executor: Executor) => Promise<Result>,
): Promise<Result> {
  const target = findPlace(context);
  if (target !== undefined) {
    const { withExecutorAt } = await import('./gateway/exec-at-gateway.ts');
    return withExecutorAt(context, target, use);
  }
  const { withExecutorHere } = await import('./exec-here.ts');
  return withExecutorHere(context, use);
}

/* A path of this machine means nothing on another one, where the gateway has a directory of its own. */
export function workdirOf(target: Target | undefined, here: string, typed: string | undefined) {
  return target === undefined || target.isLocal ? here : typed;
}
