/*
 * The result of one action, out of the union of all.
 */
import type { ProcessAction, ProcessParams, ProcessResult } from '@clawdfather/protocol';

export type ResultOf<Action extends ProcessAction> = Extract<ProcessResult, { action: Action }>;

export type ParamsOf<Action extends ProcessAction> = Extract<ProcessParams, { action: Action }>;
