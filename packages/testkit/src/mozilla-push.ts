/*
 * Mozilla's push service on the loopback: a Firefox keeps a socket to it, subscribes over it and gets its messages there, as it does with the
 * real one. What is posted to the address of a subscription is checked as the other stand-in does, and handed on as it is: only the
 * Firefox can read it.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { refusalOf } from './push-service.ts';

export interface MozillaPush extends AsyncDisposable {
  /* For the gateway's setting `notify.push.services`. */
  readonly origin: string;
  /* Of a Firefox that is to use this one. */
  readonly preferences: Readonly<Record<string, string | boolean>>;
  /* Addresses that there are now. */
  readonly endpoints: readonly string[];
  /* What was posted and handed on, in order, as it went over the wire. */
  readonly taken: readonly Buffer[];
  /* Why something was refused, in order. */
  readonly refused: readonly string[];
  /* Resolves when so many messages were acknowledged: the worker has had them. */
  untilAcknowledged(count: number): Promise<void>;
  untilEndpoints(count: number): Promise<void>;
}

interface Channel {
  readonly id: string;
  /* The gateway's, which the browser gave. */
  readonly publicKey: string;
  readonly userAgent: string;
}

interface Said {
  readonly messageType?: string;
  readonly uaid?: string;
  readonly channelID?: string;
  readonly key?: string;
  readonly updates?: readonly unknown[];
}

export async function openMozillaPush(): Promise<MozillaPush> {
  const channels = new Map<string, Channel>();
  const lines = new Map<string, WebSocket>();
  const taken: Buffer[] = [];
  const refused: string[] = [];
  const waiting = new Set<() => void>();
  let acknowledged = 0;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isSo()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  /* The status that it is answered with. */
  const take = (request: IncomingMessage, body: Buffer): number => {
    const endpoint = `${origin}${request.url}`;
    const channel = channels.get(endpoint);
    if (channel === undefined) return 410;
    const { headers, method = '' } = request;
    const why = refusalOf({ origin, method, endpoint, headers, body }, channel.publicKey);
    if (why !== undefined) refused.push(why);
    if (why !== undefined) return 403;
    taken.push(body);
    say(lines.get(channel.userAgent), {
      messageType: 'notification',
      channelID: channel.id,
      version: randomUUID(),
      data: body.toString('base64url'),
      headers: { encoding: 'aes128gcm' },
    });
    return 201;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.statusCode = take(request, Buffer.concat(chunks));
      response.end();
      wake();
    });
  });
  const sockets = new WebSocketServer({ server, handleProtocols: ([first]) => first ?? false });
  sockets.on('connection', (line) => {
    let userAgent = '';
    line.on('message', (bytes: Buffer) => {
      const said = JSON.parse(bytes.toString()) as Said;
      if (said.messageType === 'hello') {
        userAgent = said.uaid || randomUUID().replaceAll('-', '');
        lines.set(userAgent, line);
      }
      if (said.messageType === 'ack') acknowledged += said.updates?.length ?? 0;
      answer(line, said, { channels, userAgent, origin });
      wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    preferences: {
      'dom.push.enabled': true,
      'dom.push.connection.enabled': true,
      'dom.push.serverURL': `ws://127.0.0.1:${port}/`,
      'dom.push.testing.allowInsecureServerURL': true,
    },
    get endpoints() {
      return [...channels.keys()];
    },
    taken,
    refused,
    untilAcknowledged: (count) => until(() => acknowledged >= count),
    untilEndpoints: (count) => until(() => channels.size === count),
    [Symbol.asyncDispose]: async () => {
      for (const line of sockets.clients) line.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Place {
  readonly channels: Map<string, Channel>;
  readonly userAgent: string;
  readonly origin: string;
}

function answer(line: WebSocket, said: Said, { channels, userAgent, origin }: Place): void {
  const { messageType, channelID: id = '', key = '' } = said;
  switch (messageType) {
    case 'hello':
      return say(line, { messageType, uaid: userAgent, status: 200, use_webpush: true });
    case 'register': {
      const endpoint = `${origin}/wpush/v2/${randomUUID()}`;
      channels.set(endpoint, { id, publicKey: key, userAgent });
      return say(line, { messageType, channelID: id, status: 200, pushEndpoint: endpoint });
    }
    case 'unregister': {
      for (const [endpoint, channel] of channels) if (channel.id === id) channels.delete(endpoint);
      return say(line, { messageType, channelID: id, status: 200 });
    }
    case undefined:
      // A ping, which is answered with the same.
      return say(line, {});
    default:
      return;
  }
}

function say(line: WebSocket | undefined, message: object): void {
  line?.send(JSON.stringify(message));
}
