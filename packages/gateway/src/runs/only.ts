/*
 * The result of one action of the process tool, without the word that says which it was.
 */
import type { ProcessAction, ProcessResult } from '@clawdfather/protocol';

type ResultOf<Action extends ProcessAction> = Extract<ProcessResult, { readonly action: Action }>;

export function only<Action extends ProcessAction>(
  action: Action,
  result: ProcessResult,
): Omit<ResultOf<Action>, 'action'> {
  if (result.action !== action) throw new TypeError(`${action} was answered with ${result.action}`);
  const { action: _action, ...rest } = result as ResultOf<Action>;
  return rest;
}
