/*
 * A TCP proxy in front of PostgreSQL that breaks connections at an exact place.
 *
 * It knows just enough of the protocol to tell requests and answers apart: a request ends with Sync or is a Query, an answer
 * ends with ReadyForQuery, and the first exchange of a connection (its start) counts as one of each. Both are passed on whole,
 * so "the third request" means the same in every run. A fault strikes once; everything else passes, on new connections too.
 *
 * `dropped`  the request never arrives; the connection is reset
 * `reset`    the server has done it; its answer is swallowed and the connection reset
 * `half`     as `reset`, but the first half of the answer arrives before the connection ends
 * `freeze`   as `reset`, but the connection stays open and silent, both ways
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export const proxyFaults = ['dropped', 'reset', 'half', 'freeze'] as const;
export type ProxyFault = (typeof proxyFaults)[number];

export interface PostgresProxy extends AsyncDisposable {
  readonly port: number;
  /** At the n-th request from now, or at the next one with this word in it. Resolves when it has happened. */
  strike(fault: ProxyFault, at: number | string): Promise<void>;
  /** From now on nothing passes and nothing is closed, on any connection, as if the network had swallowed it. */
  silence(): void;
  /** Everything passes again, and first what was held back. */
  unsilence(): void;
  /** How many requests have come through since it was opened. */
  requests(): number;
}

interface Order {
  readonly fault: ProxyFault;
  readonly isDue: (request: Buffer) => boolean;
  readonly done: () => void;
}

export async function openPostgresProxy(socketPath: string): Promise<PostgresProxy> {
  const sockets = new Set<Socket>();
  let requests = 0;
  let order: Order | undefined;
  let isSilent = false;

  function takeOrder(request: Buffer): Order | undefined {
    requests += 1;
    if (order?.isDue(request) !== true) return undefined;
    const due = order;
    order = undefined;
    return due;
  }

  const server = createServer((client) => {
    const upstream = connect(socketPath);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {
        /* The other side is told by the close that follows. */
      });
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      if (isSilent) socket.pause();
    }
    join(client, upstream, takeOrder);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    strike: (fault, at) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const due = typeof at === 'number' ? requests + at : undefined;
      const isDue = (request: Buffer): boolean =>
        typeof at === 'string' ? request.includes(at) : requests === due;
      order = { fault, isDue, done: resolve };
      return promise;
    },
    silence: () => {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    unsilence: () => {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function join(
  client: Socket,
  upstream: Socket,
  takeOrder: (request: Buffer) => Order | undefined,
): void {
  let struck: Order | undefined;
  let isFrozen = false;
  /* The first message of a client has no type. */
  const nextRequests = createSplitter(['Q', 'S'], { isFirstUntyped: true });
  const nextAnswers = createSplitter(['Z'], { isFirstUntyped: false });

  client.on('data', (bytes) => {
    for (const request of nextRequests.push(bytes)) {
      if (isFrozen) return;
      struck ??= takeOrder(request);
      if (struck?.fault === 'dropped') {
        client.resetAndDestroy();
        struck.done();
        return;
      }
      upstream.write(request);
    }
    /* A farewell ends with neither. */
    if (nextRequests.rest()[0] === 'X'.charCodeAt(0)) upstream.end(nextRequests.rest());
  });
  upstream.on('data', (bytes) => {
    for (const answer of nextAnswers.push(bytes)) {
      if (isFrozen) return;
      if (struck === undefined) {
        client.write(answer);
        continue;
      }
      isFrozen = true;
      /* Not reset: that could take back what is on its way. */
      if (struck.fault === 'half') client.end(answer.subarray(0, answer.length >> 1));
      if (struck.fault === 'reset') client.resetAndDestroy();
      struck.done();
    }
  });
  upstream.on('end', () => {
    if (!isFrozen) client.write(nextAnswers.rest());
  });
}

interface Splitter {
  /** Whole pieces, each up to and with a message of one of the types. */
  push(bytes: Buffer): readonly Buffer[];
  /** What has come of the next piece. */
  rest(): Buffer;
}

const typeBytes = 1;
const lengthBytes = 4;

function createSplitter(
  lastTypes: readonly string[],
  { isFirstUntyped }: { readonly isFirstUntyped: boolean },
): Splitter {
  let pending: Buffer = Buffer.alloc(0);
  /* Where the next message of the piece begins. */
  let at = 0;
  let isUntyped = isFirstUntyped;

  function takePiece(): Buffer | undefined {
    for (;;) {
      const headBytes = (isUntyped ? 0 : typeBytes) + lengthBytes;
      if (pending.length < at + headBytes) return undefined;
      const end = at + headBytes - lengthBytes + pending.readUInt32BE(at + headBytes - lengthBytes);
      if (pending.length < end) return undefined;
      const isLast = isUntyped || lastTypes.includes(String.fromCharCode(pending[at] ?? 0));
      isUntyped = false;
      at = end;
      if (!isLast) continue;
      const piece = pending.subarray(0, end);
      pending = pending.subarray(end);
      at = 0;
      return piece;
    }
  }

  return {
    push: (bytes) => {
      pending = Buffer.concat([pending, bytes]);
      const pieces: Buffer[] = [];
      for (let piece = takePiece(); piece !== undefined; piece = takePiece()) pieces.push(piece);
      return pieces;
    },
    rest: () => pending,
  };
}
