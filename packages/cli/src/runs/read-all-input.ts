/*
 * All of our input as text, for commands that hand it on in one piece.
 */
import { isUtf8 } from 'node:buffer';
import { usageError } from '../errors.ts';
import type { Io } from '../io/io.ts';

/* What the tools take at once. */
const bytesMax = 10_000_000;

export async function readAllInput(io: Pick<Io, 'stdin'>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin.read(new AbortController().signal)) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw usageError(
        'the input is larger than 10 MB',
        'Let the command read it from a file, or use: clf run -- COMMAND < FILE',
      );
    }
    chunks.push(chunk);
  }
  const all = Buffer.concat(chunks);
  if (isUtf8(all)) return all.toString();
  throw usageError('the input is not UTF-8 text', 'Bytes as they are: clf run -- COMMAND < FILE');
}
