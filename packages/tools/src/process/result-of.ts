/*
 * What one action takes and what it answers, out of the unions of the `process` tool: the same without the word that names it.
 */
import type { ProcessAction, ProcessParams, ProcessResult } from '@clawdfather/protocol';

export type ParamsOf<Action extends ProcessAction> = Untagged<
  Extract<ProcessParams, { action: Action }>
>;

export type ResultOf<Action extends ProcessAction> = Untagged<
  Extract<ProcessResult, { action: Action }>
>;

/* Member by member: `poll` answers with a union. */
type Untagged<Tagged> = Tagged extends unknown ? Omit<Tagged, 'action'> : never;
