/*
 * A client of JSON-RPC as a test needs it: over HTTP, over a stream, over a socket. Nothing that it sends is checked here.
 */
import assert from 'node:assert/strict';
import { type ClientOptions, WebSocket } from 'ws';

// Answers of many shapes; a wrong path fails the assertion on it.
// oxlint-disable-next-line typescript/no-explicit-any
export type Message = any;

export interface Rpc {
  /* One call; the whole answer. */
  call(method: string, params?: object, headers?: Record<string, string>): Promise<Message>;
  /* The result, or a failure of the test. */
  result(method: string, params?: object): Promise<Message>;
  /* Whatever it is; the body as JSON, and the status. */
  send(body: unknown, headers?: Record<string, string>): Promise<{ status: number; body: Message }>;
  stream(method: string, params?: object): Promise<RpcStream>;
}

let ids = 0;

/* Without a token it says nothing about itself. */
export function createRpc(url: string | (() => string), token?: string): Rpc {
  const address = (): URL => new URL('/acp/rpc', typeof url === 'string' ? url : url());
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(address(), {
      method: 'POST',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const request = (method: string, params: object) => {
    ids += 1;
    return { jsonrpc: '2.0', id: ids, method, params };
  };
  const send: Rpc['send'] = async (body, headers) => {
    const response = await post(body, headers);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const call: Rpc['call'] = async (method, params = {}, headers = {}) =>
    (await send(request(method, params), headers)).body;
  return {
    call,
    send,
    result: async (method, params) => {
      const { result, error } = await call(method, params);
      assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
      return result;
    },
    stream: async (method, params = {}) => {
      const response = await post(request(method, params), { accept: 'text/event-stream' });
      return new RpcStream(response);
    },
  };
}

export class RpcStream implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string> | undefined;
  readonly response: Response;
  #text = '';

  constructor(response: Response) {
    this.response = response;
    this.#reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  }

  /* Undefined: it has ended, or was cut off. */
  async next(): Promise<Message> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const data = block.split('\n').find((line) => line.startsWith('data: '));
        if (data !== undefined) return JSON.parse(data.slice(6));
        continue;
      }
      const read = await this.#reader?.read().catch(() => undefined);
      if (read?.value === undefined) return undefined;
      this.#text += read.value;
    }
  }

  async all(): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (let next = await this.next(); next !== undefined; next = await this.next()) {
      messages.push(next);
    }
    return messages;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader?.cancel().catch(() => undefined);
  }
}

export class RpcSocket implements AsyncDisposable {
  readonly ws: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly messages: Message[] = [];
  #wake: () => void = () => {};
  #isClosed = false;

  constructor(url: string, options: ClientOptions = {}) {
    this.ws = new WebSocket(new URL('/acp', url.replace('http', 'ws')), options);
    this.ws.on('error', () => {});
    this.ws.on('message', (data) => {
      this.messages.push(JSON.parse((data as Buffer).toString()));
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.ws.on('close', (code, reason) => {
        this.#isClosed = true;
        resolve({ code, reason: reason.toString() });
        this.#wake();
      });
    });
  }

  static async open(url: string, token: string): Promise<RpcSocket> {
    const socket = new RpcSocket(url, { headers: { authorization: `Bearer ${token}` } });
    await socket.until(({ method }) => method === 'session.keepalive');
    return socket;
  }

  send(message: unknown): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /* The first message that fits, taken out of those that came. */
  async until(isIt: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const at = this.messages.findIndex(isIt);
      if (at >= 0) return this.messages.splice(at, 1)[0];
      if (this.#isClosed) throw new Error('closed');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async call(method: string, params: object = {}): Promise<Message> {
    ids += 1;
    const id = ids;
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.until((message) => message.id === id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ws.terminate();
    await this.closed;
  }
}

/* The update that ends a turn. */
export function isEnd({ params }: Message): boolean {
  return params?.result !== undefined && params.result !== null;
}

/* The turn as it ended, which is the last thing that its stream says. */
export async function untilEnded(rpc: Rpc, ref: object): Promise<Message> {
  await using stream = await rpc.stream('tasks.get', { ...ref, lastSeq: 0 });
  const { result, error } = (await stream.all()).at(-1);
  assert.equal(error, undefined, JSON.stringify(error));
  return result;
}
