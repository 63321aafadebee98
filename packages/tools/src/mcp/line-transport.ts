/*
 * MCP over two byte streams: one JSON-RPC message per line (the protocol's stdio binding).
 *
 * The library's own transport closes the connection at a message of 10 MB, says nothing about a line that is no JSON, and
 * copies all it has with every chunk. This one
 *   1. answers what it cannot read, and reads on;
 *   2. stops reading while a client that does not read has too much in front of it, or too many of its requests are not answered;
 *   3. closes once, at the end of input or when the reader is gone, and reports it.
 */
import { deferred } from '@clawdfather/kit';
import { INVALID_REQUEST, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { messageBytesMax, unsentCharactersMax } from './limits.ts';
import { createOpenRequests } from './open-requests.ts';
import { type Inbound, parseMessages, refuse } from './parse-message.ts';
import { createLineSplitter, type InputLine } from './split-lines.ts';

export interface LineStreams {
  /* Bytes until the end or the abort. */
  readonly read: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /* Whole lines, in order; rejects when the reader is gone. */
  readonly write: (line: string) => Promise<void>;
}

/* Called as soon as a message is in line for the wire: what is sent from then on comes after it. */
export type OnSent = (message: JSONRPCMessage) => void;

export function createLineTransport(streams: LineStreams, onSent: OnSent): Transport {
  const reading = new AbortController();
  const splitter = createLineSplitter(messageBytesMax);
  let unsentCharacters = 0;
  const open = createOpenRequests();
  /* Resolves when something has been sent or answered, or all is over. */
  let changed = deferred();
  const change = (): void => {
    changed.resolve();
    changed = deferred();
  };

  const close = async (): Promise<void> => {
    if (reading.signal.aborted) return;
    reading.abort();
    change();
    transport.onclose?.();
  };
  const fail = (error: unknown): void => {
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    void close();
  };
  const writeMessage = (message: object): Promise<void> => {
    if (reading.signal.aborted) return Promise.reject(new Error('the connection is closed'));
    const line = `${JSON.stringify(message)}\n`;
    unsentCharacters += line.length;
    const written = streams.write(line).finally(() => {
      unsentCharacters -= line.length;
      change();
    });
    written.catch(fail);
    return written;
  };
  const take = (line: InputLine): void => {
    for (const inbound of inboundOf(line)) {
      if (inbound.kind === 'message') {
        open.taken(inbound.message, line.kind === 'line' ? line.text.length : 0);
        transport.onmessage?.(inbound.message);
      }
      // A reader that is gone closes the connection.
      else void writeMessage(inbound.refusal).catch(() => {});
    }
  };
  const isTooMuch = (): boolean => unsentCharacters > unsentCharactersMax || open.isFull();
  const pump = async (): Promise<void> => {
    for await (const chunk of streams.read(reading.signal)) {
      for (const line of splitter.push(chunk)) {
        while (isTooMuch() && !reading.signal.aborted) await changed.promise;
        take(line);
      }
    }
  };

  const transport: Transport = {
    start: async () => {
      void pump().then(close, fail);
    },
    send: (message: JSONRPCMessage) => {
      const written = writeMessage(message);
      open.sent(message);
      change();
      onSent(message);
      return written;
    },
    close,
  };
  return transport;
}

function inboundOf(line: InputLine): readonly Inbound[] {
  if (line.kind === 'line') return parseMessages(line.text);
  const why = `Invalid request: a message of more than ${messageBytesMax} bytes was dropped`;
  return [{ kind: 'refused', refusal: refuse(null, INVALID_REQUEST, why) }];
}
