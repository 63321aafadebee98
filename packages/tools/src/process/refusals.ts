/*
 * What the supervisor's refusals mean to a caller of the tools.
 */
import { hasCode } from '@clawdfather/kit';
import { ToolsError } from '../errors.ts';

/* For readers: a cursor that is none, or of another run. */
export function refusedCursor(error: unknown): unknown {
  if (!hasCode(error, 'cursor-invalid')) return error;
  return new ToolsError('cursor-invalid', 'this is no cursor of this run', {
    hint: 'Pass a cursor exactly as it was given, or none to read from the beginning.',
    cause: error,
  });
}

/* For actions that write or send something. */
export function refusedCommand(error: unknown, runId: string): unknown {
  const detail = { runId };
  if (hasCode(error, 'not-running')) {
    return new ToolsError('run-ended', `run ${runId} has ended`, {
      detail,
      hint: 'Poll says how, log what it said.',
      cause: error,
    });
  }
  if (hasCode(error, 'stdin-closed')) {
    return new ToolsError('stdin-closed', `run ${runId} takes no more input`, {
      detail,
      cause: error,
    });
  }
  return error;
}
