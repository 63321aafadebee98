/*
 * Finds out whether a shim answers: one connection to its socket, kept if it does, so that adoption need not connect again.
 */
import type { Clock } from '@clawdfather/kit';
import { type ControlLink, openControl, ShimUnreachableError } from '@clawdfather/shim';
import type { SocketReading } from '../evidence/run-evidence.ts';

export interface Probe {
  readonly socket: SocketReading;
  readonly link: ControlLink | undefined;
}

export async function probeShim(
  runDir: string,
  cookie: Uint8Array,
  deps: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Probe> {
  try {
    const link = await openControl(runDir, cookie, deps);
    link.unref();
    return { socket: 'greeted', link };
  } catch (error) {
    return { socket: readingOf(error), link: undefined };
  }
}

/* Only a refused connection says something about the shim (O5). */
function readingOf(error: unknown): SocketReading {
  if (!(error instanceof ShimUnreachableError)) return 'unreachable';
  if (error.reason === 'refused') return 'refused';
  return error.reason === 'missing' ? 'absent' : 'unreachable';
}
