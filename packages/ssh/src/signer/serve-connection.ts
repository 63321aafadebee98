/*
 * One connection to a signer: its messages are answered in order, each before the next is looked at.
 *
 * A connection that sends what no agent understands is closed; one that asks for what we refuse gets a failure and may go on, as
 * ssh does when a first offer is refused.
 */
import type { Socket } from 'node:net';
import { createFrameReader, formatFrame } from './frames.ts';

export interface ConnectionParts {
  readonly answer: (message: Buffer) => Promise<Buffer>;
  readonly tooLong: () => void;
  readonly tooMany: () => void;
}

/* A login needs a bind, a list and two signatures. A sign request holds two keys, and the longest host key has 2 kB. */
export const messageBytesMax = 16_384;
export const messagesMax = 16;

export async function serveConnection(socket: Socket, parts: ConnectionParts): Promise<void> {
  const frames = createFrameReader(messageBytesMax);
  let count = 0;
  // The loop below hears of errors too, but not of one after its end.
  socket.on('error', () => {});
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      const messages = frames.push(chunk);
      if (messages === undefined) return parts.tooLong();
      for (const message of messages) {
        count += 1;
        if (count > messagesMax) return parts.tooMany();
        socket.write(formatFrame(await parts.answer(message)));
      }
    }
  } catch {
    // The client went away, or the signer was closed: the connection ends, and nothing else.
  } finally {
    socket.destroy();
  }
}
