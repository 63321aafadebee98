/*
 * Whether a run waits for input: silent for a while with its input open, or seen reading it.
 */
import { processLimits } from '@clawdfather/protocol';
import type { RunRecord } from '@clawdfather/supervisor';
import type { ToolsContext } from '../context.ts';

export async function isWaitingForInput(
  { clock, readingProbe }: ToolsContext,
  record: RunRecord,
  lastOutputAtMs: number | undefined,
): Promise<boolean> {
  if (record.state !== 'running' || readingProbe.isStdinOpen(record) === false) return false;
  const silentSinceMs = lastOutputAtMs ?? record.startedAtMs ?? record.createdAtMs;
  if (clock.wallMs() - silentSinceMs >= processLimits.waitingForInputMs) return true;
  return (await readingProbe.isReading(record)) === true;
}
