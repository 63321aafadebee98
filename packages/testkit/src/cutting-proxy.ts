/*
 * A TCP proxy between a client and a gateway that may move, and that does to connections what networks do: cuts them, resets them, freezes
 * them, closes them politely without a reason, and loses answers.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /* Connections that came so far. */
  readonly connections: number;
  /* New connections go there. */
  target(url: string): void;
  /* Each connection is cut after so many bytes for the client; undefined passes all. */
  cutAfter(bytes: number | undefined): void;
  /* Every connection that there is, without a word to the client's program but an error. */
  reset(): void;
  /* Nothing passes and nothing is closed, as when a phone leaves its network; false lets all of it pass. */
  freeze(isFrozen: boolean): void;
  /* Streams that are open stay open and say nothing any more; everything else passes. As after a phone was in a pocket. */
  strand(): void;
  /* Every WebSocket that there is gets a close frame with 1000 of ours, as a suspended page reports it. */
  closeNormally(): void;
  /* Every stream of events that there is ends as one that is whole, though nothing was over: what a proxy does that thinks it idle. */
  endStreams(): void;
  /* Requests arrive; their answers do not, and the connection is gone. */
  swallowAnswers(isOn: boolean): void;
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  isWebSocket: boolean;
  /* Of events. */
  isStream: boolean;
  isStranded: boolean;
}

/* A close frame of a server, which is not masked (RFC 6455, 5.5.1): 1000, without a reason. */
const normalClose = Buffer.from([0x88, 0x02, 0x03, 0xe8]);

/* The end of an answer whose length was not told before (RFC 9112, 7.1). */
const lastChunk = '0\r\n\r\n';

export async function openCuttingProxy(gatewayUrl: string): Promise<CuttingProxy> {
  const pairs = new Set<Pair>();
  let port = Number(new URL(gatewayUrl).port);
  let bytesMax: number | undefined;
  let connections = 0;
  let isFrozen = false;
  let isSwallowing = false;

  const server = createServer((client) => {
    connections += 1;
    const upstream = connect(port, '127.0.0.1');
    const pair: Pair = { client, upstream, isWebSocket: false, isStream: false, isStranded: false };
    pairs.add(pair);
    for (const socket of [client, upstream]) {
      // The other side is told by the close that follows.
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      });
    }
    client.once('data', (chunk: Buffer) => {
      pair.isWebSocket = /\r\nupgrade: websocket/i.test(chunk.toString('latin1'));
    });
    let passed = 0;
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      if (chunk.includes('text/event-stream')) pair.isStream = true;
      if (isSwallowing && !pair.isWebSocket) return void client.destroy();
      const rest = bytesMax === undefined ? chunk.length : Math.max(0, bytesMax - passed);
      passed += chunk.length;
      if (!client.write(chunk.subarray(0, rest))) {
        upstream.pause();
        client.once('drain', () => {
          if (!isFrozen && !pair.isStranded) upstream.resume();
        });
      }
      if (rest < chunk.length) client.destroySoon();
    });
    if (isFrozen) hold(pair, true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    target: (url) => {
      port = Number(new URL(url).port);
    },
    cutAfter: (bytes) => {
      bytesMax = bytes;
    },
    reset: () => {
      for (const { client } of pairs) client.resetAndDestroy();
    },
    freeze: (frozen) => {
      isFrozen = frozen;
      for (const pair of pairs) if (!pair.isStranded) hold(pair, frozen);
    },
    strand: () => {
      for (const pair of pairs) {
        if (!pair.isStream) continue;
        pair.isStranded = true;
        hold(pair, true);
      }
    },
    closeNormally: () => {
      for (const { client, upstream, isWebSocket } of pairs) {
        if (!isWebSocket) continue;
        upstream.removeAllListeners('data');
        upstream.destroy();
        client.end(normalClose);
      }
    },
    endStreams: () => {
      for (const { client, upstream, isStream } of pairs) {
        if (!isStream) continue;
        upstream.removeAllListeners('data');
        upstream.destroy();
        client.end(lastChunk);
      }
    },
    swallowAnswers: (isOn) => {
      isSwallowing = isOn;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { client } of pairs) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function hold({ client, upstream }: Pair, isFrozen: boolean): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    if (isFrozen) {
      from.pause();
      to.cork();
    } else {
      to.uncork();
      from.resume();
    }
  }
}
