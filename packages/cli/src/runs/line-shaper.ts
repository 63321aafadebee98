/*
 * `--timestamps`: each line of output with the time at which it began.
 *
 * Streams interleave, so each has its own idea of being inside a line. Bytes
 * stay bytes: only the prefix is added.
 */
import type { OutputEvent } from '@clawdfather/supervisor';
import { formatInstant } from '../render/duration.ts';

const newline = 0x0a;

export function createLineShaper(): (
  event: Extract<OutputEvent, { kind: 'output' }>,
) => Uint8Array {
  const isInside = { stdout: false, stderr: false };
  return (event) => {
    const pieces: Uint8Array[] = [];
    const prefix = Buffer.from(`${formatInstant(event.atMs)} `);
    let at = 0;
    while (at < event.bytes.length) {
      const found = event.bytes.indexOf(newline, at);
      const end = found === -1 ? event.bytes.length : found + 1;
      if (!isInside[event.stream]) pieces.push(prefix);
      pieces.push(event.bytes.subarray(at, end));
      isInside[event.stream] = found === -1;
      at = end;
    }
    return Buffer.concat(pieces);
  };
}
