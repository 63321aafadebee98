/*
 * Bytes to lines, with a limit on the line.
 *
 * Pieces of a line are kept as they came and joined once, so that a message of many megabytes costs one copy and not one
 * per chunk. What is too long is dropped up to its newline and said to be so; what follows it is read as if nothing had been.
 */
export type InputLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too-long' };

export interface LineSplitter {
  push(chunk: Uint8Array): readonly InputLine[];
}

const newline = 0x0a;

export function createLineSplitter(bytesMax: number): LineSplitter {
  let pieces: Uint8Array[] = [];
  let pendingBytes = 0;
  let isSkipping = false;

  const keep = (piece: Uint8Array): void => {
    if (isSkipping) return;
    pendingBytes += piece.length;
    isSkipping = pendingBytes > bytesMax;
    if (isSkipping) pieces = [];
    else pieces.push(piece);
  };
  const take = (): InputLine => {
    const line: InputLine = isSkipping
      ? { kind: 'too-long' }
      : { kind: 'line', text: Buffer.concat(pieces).toString('utf8') };
    pieces = [];
    pendingBytes = 0;
    isSkipping = false;
    return line;
  };

  return {
    push: (chunk) => {
      const lines: InputLine[] = [];
      let from = 0;
      for (;;) {
        const end = chunk.indexOf(newline, from);
        if (end === -1) break;
        keep(chunk.subarray(from, end));
        lines.push(take());
        from = end + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
      return lines;
    },
  };
}
