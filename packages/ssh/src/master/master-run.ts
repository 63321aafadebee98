/*
 * What the supervisor says about the run of a master, as evidence and for the log.
 */
import { getSystemErrorName } from 'node:util';
import type { ManagedRun, RunExit } from '@clawdfather/supervisor';
import type { RunEnd } from './cause.ts';

export function runEndOf({ reason, code, signal, failure }: RunExit): RunEnd {
  if (failure !== undefined) return { kind: 'not-started', errno: errnoName(failure.errno) };
  if (signal !== undefined) return { kind: 'signal', signal };
  if (code !== undefined && reason !== 'unknown') return { kind: 'exit', code };
  return { kind: 'unknown' };
}

function errnoName(errno: number): string | undefined {
  return errno > 0 ? getSystemErrorName(-errno) : undefined;
}

/* More is a debug level that is never set. */
const stderrBytesMax = 4_096;

/* What ssh itself wrote. No command's output goes there. */
export async function stderrOf(run: Pick<ManagedRun, 'outputSoFar'>): Promise<string> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const event of run.outputSoFar()) {
      if (event.kind === 'output' && event.stream === 'stderr') pieces.push(event.bytes);
    }
  } catch {
    // The journal is gone; the cause does not depend on it.
  }
  return Buffer.concat(pieces).subarray(-stderrBytesMax).toString('utf8').trim();
}
