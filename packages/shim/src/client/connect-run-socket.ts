/*
 * Connects to a run's socket `s` through a descriptor of its directory: no
 * limit on the path's length, and a directory that was moved away and replaced
 * meanwhile is not entered by mistake (E2).
 *
 * A refused connection and a missing socket are told apart from everything
 * else, as only they are evidence about the shim (O5). A full backlog is not:
 * the kernel says EAGAIN, and it is tried again until the limit.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Clock, errnoOf } from '@clawdfather/kit';
import { ShimUnreachableError, type UnreachableReason } from '../errors.ts';
import { abortReason } from './settle-within.ts';

export interface ConnectLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

const retryMs = 10;
/* What one read takes: any answer but an END with its journal. */
const readBytes = 4096;

export interface RunSocket {
  readonly socket: Socket;
  /*
   * Every piece that comes, past Node's streams: those would cost a key's echo a tenth of its time. To be called at once; a shim
   * says nothing before it is asked.
   */
  readonly onBytes: (listener: (bytes: Buffer) => void) => void;
}

export async function connectRunSocket(runDir: string, limit: ConnectLimit): Promise<RunSocket> {
  const untilMs = limit.clock.monotonicMs() + limit.limitMs;
  const directoryFd = openDirectory(runDir);
  try {
    for (;;) {
      if (limit.signal?.aborted === true) throw abortReason(limit.signal);
      const outcome = await connectOnce(`/proc/self/fd/${directoryFd}/s`);
      if (typeof outcome !== 'string') return outcome;
      const isOver = limit.clock.monotonicMs() >= untilMs;
      if (outcome !== 'EAGAIN' || isOver) throw unreachable(outcome, undefined);
      await limit.clock.sleep(retryMs, limit.signal);
    }
  } finally {
    closeSync(directoryFd);
  }
}

/* The socket, or the code of what went wrong. The kernel answers at once: no limit is needed. */
function connectOnce(path: string): Promise<RunSocket | string> {
  return new Promise((resolve) => {
    let listener: ((bytes: Buffer) => void) | undefined;
    const onread = {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback: (length: number, bytes: Uint8Array): boolean => {
        /* A copy: the next read goes into the same memory. */
        listener?.(Buffer.from(bytes.subarray(0, length)));
        return true;
      },
    };
    const socket = connect({ path, onread });
    const onError = (error: NodeJS.ErrnoException): void => {
      socket.destroy();
      resolve(error.code ?? 'unknown');
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      const onBytes: RunSocket['onBytes'] = (given) => {
        listener = given;
      };
      resolve({ socket, onBytes });
    });
  });
}

function openDirectory(runDir: string): number {
  try {
    return openSync(runDir, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    const code = errnoOf(error) ?? 'unknown';
    throw unreachable(code, error);
  }
}

function unreachable(code: string, cause: unknown): ShimUnreachableError {
  return new ShimUnreachableError(reasons[code] ?? 'closed', { cause, detail: { code } });
}

const reasons: Readonly<Record<string, UnreachableReason>> = {
  ECONNREFUSED: 'refused',
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  EACCES: 'permission',
  EPERM: 'permission',
  EAGAIN: 'timeout',
  ETIMEDOUT: 'timeout',
};
