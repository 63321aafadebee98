/*
 * Cuts a stream of bytes into lines and knows where in the stream each begins. A line keeps its newline, so that the
 * lines of an input, joined, are the input.
 */
export interface InputLine {
  /** Bytes of the input before this line. */
  readonly offset: number;
  readonly bytes: Buffer;
}

export interface LineReader {
  push(chunk: Buffer): void;
  /** What came after the last newline. */
  rest(): InputLine;
}

/* Four times the longest message that our own side lets through; beyond it the sender has lost its framing. */
const lineBytesMax = 256 * 1024 * 1024;

export function createLineReader(onLine: (line: InputLine) => void): LineReader {
  let offset = 0;
  let pieces: Buffer[] = [];
  let length = 0;
  const take = (last: Buffer): InputLine => {
    const line = { offset, bytes: Buffer.concat([...pieces, last]) };
    offset += line.bytes.length;
    pieces = [];
    length = 0;
    return line;
  };
  return {
    push: (chunk) => {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        onLine(take(chunk.subarray(from, end + 1)));
        from = end + 1;
      }
      if (from === chunk.length) return;
      pieces.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > lineBytesMax) throw new Error(`a line of input exceeds ${lineBytesMax} bytes`);
    },
    rest: () => take(Buffer.alloc(0)),
  };
}
