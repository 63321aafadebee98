/*
 * Descriptor 1 for the protocol: whole lines, at once where the pipe has room.
 *
 * The sink of other commands writes through the thread pool, because making a shared descriptor non-blocking would break whoever
 * else writes to it. An MCP server's stdout is the client's pipe and nobody else's, so here it is made non-blocking: a
 * write is one system call without a second thread, and a client that does not read costs memory and no time. What is no
 * pipe (a file, a terminal) is left to that sink.
 */
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Sink } from '../io/io.ts';

const descriptor = 1;

export interface ProtocolOutput extends Disposable {
  /* Resolves when the line is out; rejects when nobody reads any more. */
  readonly write: (line: string) => Promise<void>;
}

export function openProtocolOutput(fallback: Sink): ProtocolOutput {
  const stat = fstatSync(descriptor);
  if (!stat.isFIFO() && !stat.isSocket()) {
    return { write: (line) => fallback.write(line), [Symbol.dispose]: () => {} };
  }
  const socket = new Socket({ fd: descriptor, readable: false, writable: true });
  // Each write hears of it itself; unheard, it would end the process.
  socket.on('error', () => {});
  return {
    write: (line) =>
      new Promise((resolve, reject) => {
        socket.write(line, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(error);
        });
      }),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
