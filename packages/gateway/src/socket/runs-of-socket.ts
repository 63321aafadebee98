/*
 * What the caller of a socket can do with runs. A message has no connection of its own that could be lost, so no action is
 * cancelled early.
 */
import { newTrace } from '../observe/trace-context.ts';
import type { CallerRuns } from '../runs/caller-runs.ts';
import type { FaceOptions } from './face.ts';

const never = new AbortController().signal;

export function runsOfSocket({ context, caller, address }: FaceOptions): CallerRuns {
  const { runsFor, currentTrace, random } = context;
  return runsFor(caller, {
    ip: address,
    // Of the message that is being handled.
    get traceId() {
      return (currentTrace() ?? newTrace(random)).traceId;
    },
    signal: never,
  });
}
