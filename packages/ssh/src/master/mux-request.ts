/*
 * The two things that we ask a master for over its control socket ourselves (docs/protocol/mux.md has the protocol): whether it
 * lives, and to end. Commands go through the mux client of the shim.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Clock, within } from '@clawdfather/kit';

export type MuxRequest = 'alive' | 'terminate';

const types: Readonly<Record<MuxRequest, number>> = {
  alive: 0x1000_0004,
  terminate: 0x1000_0005,
};
const hello = 0x0000_0001;
const okReply = 0x8000_0001;
const aliveReply = 0x8000_0005;
const protocolVersion = 4;
const requestId = 1;
/* OpenSSH's own. */
const packetBytesMax = 256 * 1024;

export interface MuxAsk {
  readonly clock: Clock;
  /* A master that does not answer by then is stopped or stuck. */
  readonly limitMs: number;
}

/*
 * `done`: it said so, or has ended, which is how it answers `terminate`. `none`: no master listens there. `silent`: it did not answer
 * in time, or with something else.
 */
export async function askMaster(
  socketPath: string,
  request: MuxRequest,
  { clock, limitMs }: MuxAsk,
): Promise<'done' | 'none' | 'silent'> {
  const socket = connect(socketPath);
  try {
    return await within(ask(socket, request), {
      clock,
      ms: limitMs,
      late: () => 'silent' as const,
    });
  } finally {
    socket.destroy();
  }
}

async function ask(socket: Socket, request: MuxRequest): Promise<'done' | 'none' | 'silent'> {
  try {
    await once(socket, 'connect');
  } catch {
    return 'none';
  }
  socket.write(Buffer.concat([packet(hello, protocolVersion), packet(types[request], requestId)]));
  try {
    for await (const type of replies(socket)) {
      if (type === okReply || type === aliveReply) return 'done';
      if (type !== hello) return 'silent';
    }
  } catch {
    // It has ended while it answered.
  }
  return request === 'terminate' ? 'done' : 'none';
}

function packet(...words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * (words.length + 1));
  bytes.writeUInt32BE(4 * words.length, 0);
  words.forEach((word, index) => bytes.writeUInt32BE(word, 4 * (index + 1)));
  return bytes;
}

/* The types of its packets, one after the other. */
async function* replies(socket: Socket): AsyncGenerator<number> {
  let held = Buffer.alloc(0);
  for await (const chunk of socket) {
    held = Buffer.concat([held, chunk as Buffer]);
    while (held.length >= 8) {
      const length = held.readUInt32BE(0);
      if (length > packetBytesMax) return;
      if (held.length < 4 + length) break;
      yield held.readUInt32BE(4);
      held = held.subarray(4 + length);
    }
  }
}
