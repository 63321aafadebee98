/*
 * Threads over the API of a gateway, with as little of our own in between as can be: what is measured is the way to this socket.
 */
import { type IncomingMessage, request } from 'node:http';
import { createJsonClient } from '../gateway/accounts/json-client.ts';
import type { ServerProcess } from '../gateway/server-process.ts';

export interface StreamedEvent {
  readonly seq: number;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Talk extends Disposable {
  createThread(): Promise<string>;
  /* Its id. */
  prompt(threadId: string, text: string): Promise<string>;
  /* The number of its newest event. */
  lastSeq(threadId: string): Promise<number>;
  /* Resolves when the stream is open. Every event after this number, until the returned function is called. */
  follow(threadId: string, after: number, listener: Listener): Promise<() => void>;
}

/* `bytesAtNs`: when its bytes were here (CLOCK_MONOTONIC). */
export type Listener = (event: StreamedEvent, bytesAtNs: bigint) => void;

export function createTalk({ said }: Pick<ServerProcess, 'said'>): Talk {
  const { url = '', token = '' } = said;
  const client = createJsonClient(url, token, 8);
  const post = async (path: string, body: object): Promise<Record<string, never>> => {
    const { status, text } = await client.call('POST', `/api/v1/${path}`, JSON.stringify(body));
    if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
    return JSON.parse(text) as Record<string, never>;
  };
  return {
    createThread: async () => {
      const { thread } = await post('threads', { agent: 'streaming' });
      return (thread as unknown as { readonly id: string }).id;
    },
    prompt: async (threadId, text) => {
      const { turn } = await post(`threads/${threadId}/turns`, { text });
      return (turn as unknown as { readonly id: string }).id;
    },
    lastSeq: async (threadId) => {
      const { text } = await client.call('GET', `/api/v1/threads/${threadId}`);
      return (JSON.parse(text) as { readonly thread: { readonly last_seq: number } }).thread
        .last_seq;
    },
    follow: async (threadId, after, listener) => {
      const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
      const path = `/api/v1/threads/${threadId}/events?after=${after}`;
      const sent = request(new URL(path, url), { headers, agent: false });
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      sent.on('error', reject);
      sent.on('response', resolve);
      sent.end();
      const response = await promise;
      if (response.statusCode !== 200) throw new Error(`events answered ${response.statusCode}`);
      readEvents(response, listener);
      return () => response.destroy();
    },
    [Symbol.dispose]: () => client.close(),
  };
}

function readEvents(response: IncomingMessage, listener: Listener): void {
  let rest = '';
  response.setEncoding('utf8');
  // It is cut off at the end of a round.
  response.on('error', () => {});
  response.on('data', (text: string) => {
    const nowNs = process.hrtime.bigint();
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) listener(JSON.parse(line.slice(5)) as StreamedEvent, nowNs);
    }
  });
}

/* The moments at which an agent wrote the pieces of this text (streaming-agent.c). A piece may be cut between two events: `rest`. */
export function stampsOf(text: string, rest: string): { stamps: readonly bigint[]; rest: string } {
  const lines = (rest + text).split('\n');
  const left = lines.pop() ?? '';
  return { stamps: lines.map((line) => BigInt(line.split(' ', 1)[0] ?? '0')), rest: left };
}

export function isEnd({ type, payload }: StreamedEvent): boolean {
  return type === 'status' && payload['result'] !== undefined;
}
