/*
 * A client that speaks the handshake revisions in bare HTTP requests and, as some agents do, never begins a second session.
 */
import { initializeMessage } from '@clawdfather/testkit';

export interface RawClient {
  /* Of the gateway; another one after a restart. */
  readonly url: string;
  readonly token: string;
  readonly session?: string;
}

export interface RawAnswer {
  readonly status: number;
  /* The result or error of the answer. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly message: any;
  readonly session: string | undefined;
}

const rawRevision = initializeMessage.params.protocolVersion;

export async function sendRaw(client: RawClient, message: object): Promise<RawAnswer> {
  return ask(client, 'POST', JSON.stringify(message));
}

export function deleteRaw(client: RawClient): Promise<RawAnswer> {
  return ask(client, 'DELETE');
}

export async function beginRaw(client: RawClient): Promise<Required<RawClient>> {
  const { session = '' } = await sendRaw(client, initializeMessage);
  const begun = { ...client, session };
  await sendRaw(begun, { jsonrpc: '2.0', method: 'notifications/initialized' });
  return begun;
}

/* The structured content of the result. */
export async function callRaw(client: RawClient, name: string, args: object) {
  const params = { name, arguments: args };
  const request = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
  const { message } = await sendRaw(client, request);
  return message.result.structuredContent;
}

export async function pingRaw(client: RawClient): Promise<number> {
  return (await sendRaw(client, { jsonrpc: '2.0', id: 8, method: 'ping' })).status;
}

export interface RawStream extends AsyncDisposable {
  /* All that came, as soon as this is in it. */
  until(text: string): Promise<string>;
}

/* The stream of notices. */
export async function listenRaw(client: RawClient): Promise<RawStream> {
  const stop = new AbortController();
  const { body } = await fetch(`${client.url}/mcp`, {
    headers: headersOf(client),
    signal: stop.signal,
  });
  if (body === null) throw new TypeError('there is no stream');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  return {
    until: async (text) => {
      while (!heard.includes(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended without ${text}`);
        heard += value;
      }
      return heard;
    },
    [Symbol.asyncDispose]: async () => stop.abort(),
  };
}

function headersOf({ token, session }: RawClient): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    ...(session === undefined
      ? {}
      : { 'mcp-session-id': session, 'mcp-protocol-version': rawRevision }),
  };
}

async function ask(client: RawClient, method: string, body?: string): Promise<RawAnswer> {
  const response = await fetch(`${client.url}/mcp`, {
    method,
    headers: {
      ...headersOf(client),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return {
    status: response.status,
    message: data === '' ? undefined : JSON.parse(data),
    session: response.headers.get('mcp-session-id') ?? undefined,
  };
}
