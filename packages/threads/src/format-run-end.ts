/*
 * How an agent's process ended, in one sentence for people.
 */
import type { RunExit } from '@clawdfather/supervisor';

export function formatRunEnd({ reason, code, signal, detail, hostCause }: RunExit): string {
  // The code is that of what carried it, and says nothing.
  if (hostCause !== undefined && detail !== undefined) return `the agent ended: ${detail}`;
  const how =
    signal !== undefined ? `by ${signal}` : code !== undefined ? `with code ${code}` : reason;
  return `the agent ended ${how}${detail === undefined ? '' : `: ${detail}`}`;
}
