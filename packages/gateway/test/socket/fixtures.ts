/*
 * Real clients of real sockets, and things for them to look at.
 */
import type { Duplex } from 'node:stream';
import { WebSocket, type ClientOptions } from 'ws';
import type { ServerMessage } from '@clawdfather/protocol/api';
import { callerOf } from '../fixtures/api-caller.ts';
import type { TestAccount, TestGateway } from '../fixtures/open-test-gateway.ts';

type MessageOf<Type extends string> = Extract<ServerMessage, { type: Type }>;

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

export class TestSocket implements AsyncDisposable {
  readonly ws: WebSocket;
  readonly closed: Promise<Closed>;
  /* JSON messages that came and were not asked for yet. */
  readonly messages: ServerMessage[] = [];
  readonly binaries: Buffer[] = [];
  #wake: () => void = () => {};
  #end: Closed | undefined;

  constructor(url: string, options: ClientOptions = {}) {
    this.ws = new WebSocket(url.replace('http', 'ws'), options);
    this.ws.on('error', () => {});
    this.ws.on('message', (data, isBinary) => {
      if (isBinary) this.binaries.push(data as Buffer);
      else this.messages.push(JSON.parse((data as Buffer).toString()));
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.ws.on('close', (code, reason) => {
        this.#end = { code, reason: reason.toString() };
        resolve(this.#end);
        this.#wake();
      });
    });
  }

  async opened(): Promise<this> {
    await new Promise((resolve, reject) => {
      this.ws.once('open', resolve);
      this.ws.once('error', reject);
    });
    return this;
  }

  /* The server's own answer to an upgrade that it refuses. */
  async refused(): Promise<{ readonly status: number; readonly code: string }> {
    return new Promise((resolve, reject) => {
      this.ws.once('open', () => reject(new Error('it was not refused')));
      this.ws.once('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => {
          this.ws.terminate();
          resolve({ status: response.statusCode ?? 0, code: JSON.parse(body).error.code });
        });
      });
    });
  }

  send(message: object): this {
    this.ws.send(JSON.stringify(message));
    return this;
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      if (this.#end !== undefined) throw new Error(`closed with ${this.#end.code}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /* The next message of this type; others before it are left. */
  async next<Type extends ServerMessage['type']>(type: Type): Promise<MessageOf<Type>> {
    const find = (): number => this.messages.findIndex((message) => message.type === type);
    await this.until(() => find() >= 0);
    return this.messages.splice(find(), 1)[0] as MessageOf<Type>;
  }

  /* All output so far, in both forms, in order of each. */
  output(): string {
    const texts = this.messages.filter((message) => message.type === 'terminal.data');
    const bytes = texts.map((message) => Buffer.from(message.bytes, 'base64'));
    return Buffer.concat([
      ...bytes,
      ...this.binaries.map(parseBinary).map(({ data }) => data),
    ]).toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ws.terminate();
    await this.closed;
  }
}

export function parseBinary(message: Buffer) {
  const [kind, stream, runIdBytes = 0, cursorBytes = 0] = message;
  const afterRunId = 4 + runIdBytes;
  return {
    kind,
    stream,
    runId: message.toString('latin1', 4, afterRunId),
    cursor: message.toString('latin1', afterRunId, afterRunId + cursorBytes),
    data: message.subarray(afterRunId + cursorBytes),
  };
}

/* Connects, says who it is, and waits until that is known. */
export async function openRunSocket(
  rig: TestGateway,
  runId: string,
  { token }: Pick<TestAccount, 'token'> = rig.owner,
): Promise<TestSocket> {
  const socket = new TestSocket(`${rig.url}/ws/runs/${runId}`);
  await socket.opened();
  socket.send({ type: 'auth', token });
  await socket.next('run');
  return socket;
}

export async function startRun(
  rig: TestGateway,
  params: { readonly command: string; readonly pty?: boolean },
  { token }: Pick<TestAccount, 'token'> = rig.owner,
): Promise<string> {
  return callerOf(rig.url, token).start({ ...params, background: true });
}

/* What a client that does not read looks like from outside. */
export function stopReading(socket: TestSocket): void {
  rawSocketOf(socket).pause();
}

export function readOn(socket: TestSocket): void {
  rawSocketOf(socket).resume();
}

function rawSocketOf({ ws }: TestSocket): Duplex {
  return (ws as unknown as { readonly _socket: Duplex })._socket;
}
