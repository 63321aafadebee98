/*
 * A stream, piece by piece, in a way that every browser knows: Safari cannot loop over a ReadableStream.
 */

/* Leaving the loop cancels the stream, so that its connection is let go. */
export async function* readStream<Piece>(
  stream: ReadableStream<Piece>,
): AsyncGenerator<Piece, void, undefined> {
  const reader = stream.getReader();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield value;
    }
  } catch (error) {
    isOver = true;
    throw error;
  } finally {
    // What is left of it is of no use, and a failure to say so neither.
    if (!isOver) await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}
