/*
 * Whose place in a run's output is remembered: one per session and run.
 */
import type { ToolCall } from '../context.ts';

export function readerOf({ account, sessionId }: ToolCall, runId: string): string {
  return JSON.stringify([account, sessionId, runId]);
}
