/*
 * A stream socket that carries protocol frames both ways.
 *
 * One decoder and no per-run streams or promises: at a thousand runs this is
 * where the event loop's time goes. Where there are many, those of one tick
 * leave in one write; where there is one, such as a key, it leaves at once.
 * The link is lost once, with one error, whatever happened first: end of file,
 * a socket error, or frames that cannot be told apart any more. A message that
 * is framed well and says nonsense concerns only its own id.
 */
import type { Socket } from 'node:net';
import { ShimError } from '../errors.ts';
import type { Answer } from '../wire/answers.ts';
import { createFrameDecoder, type WireFrame } from '../wire/frame-decoder.ts';
import { parseAnswer } from '../wire/parse-answer.ts';

export interface MessageLinkEvents {
  onAnswer(id: number, answer: Answer): void;
  /* A message that could not be understood. */
  onNonsense(id: number, error: ShimError): void;
  /* Once. */
  onLost(error: ShimError): void;
}

export interface MessageLink {
  /* Throws `link-lost` or `link-congested`. */
  readonly send: (frame: Buffer) => void;
  readonly isLost: boolean;
  readonly ref: () => void;
  readonly unref: () => void;
  /* No event follows. */
  readonly close: () => void;
}

/* What may wait for a peer that does not read: some sixty of the largest messages. */
const waitingBytesMax = 64 * 1024 * 1024;

export interface MessageLinkOptions {
  /* Messages wait for others of the same tick. */
  readonly isGathering?: boolean;
  /* Where bytes come from, if not from the socket's stream. */
  readonly onBytes?: (listener: (bytes: Buffer) => void) => void;
}

export function createMessageLink(
  socket: Socket,
  events: MessageLinkEvents,
  {
    isGathering = false,
    onBytes = (listener) => socket.on('data', listener),
  }: MessageLinkOptions = {},
): MessageLink {
  const decoder = createFrameDecoder();
  const write = isGathering ? createGatheringWrite(socket) : (frame: Buffer) => socket.write(frame);
  let isLost = false;

  const lose = (cause: unknown): void => {
    if (isLost) return;
    isLost = true;
    socket.destroy();
    events.onLost(
      new ShimError('link-lost', 'the connection to spawnd or the shim ended', { cause }),
    );
  };
  const onFrame = (frame: WireFrame): void => {
    if (isLost) return;
    let answer: Answer | undefined;
    try {
      answer = parseAnswer(frame);
    } catch (error) {
      if (!(error instanceof ShimError)) throw error;
      return events.onNonsense(frame.id, error);
    }
    if (answer !== undefined) events.onAnswer(frame.id, answer);
  };

  onBytes((chunk) => {
    try {
      decoder.push(chunk, onFrame);
    } catch (error) {
      if (!(error instanceof ShimError)) throw error;
      lose(error);
    }
  });
  socket.on('error', lose);
  socket.on('end', () => lose(undefined));
  socket.on('close', () => lose(undefined));

  return {
    send: (frame) => {
      if (isLost) throw new ShimError('link-lost', 'the connection has ended');
      if (socket.writableLength > waitingBytesMax) {
        throw new ShimError('link-congested', 'the peer does not read what it is sent', {
          detail: { waitingBytes: socket.writableLength },
        });
      }
      write(frame);
    },
    get isLost() {
      return isLost;
    },
    /* A socket that is gone would keep these in mind for a connection that never comes. */
    ref: () => {
      if (!isLost) socket.ref();
    },
    unref: () => {
      if (!isLost) socket.unref();
    },
    close: () => {
      isLost = true;
      socket.end();
      socket.destroySoon();
    },
  };
}

function createGatheringWrite(socket: Socket): (frame: Buffer) => void {
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    socket.uncork();
  };
  return (frame) => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      process.nextTick(uncork);
    }
    socket.write(frame);
  };
}
