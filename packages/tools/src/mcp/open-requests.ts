/*
 * Requests of a client that are not answered yet: how many, and how large. Subscriptions stay open as long as the client listens, so
 * they do not count; and what was cancelled gets no answer.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { messageBytesMax, openRequestsMax } from './limits.ts';

export interface OpenRequests {
  taken(message: JSONRPCMessage, characters: number): void;
  sent(message: JSONRPCMessage): void;
  /* No further one is to be read. */
  isFull(): boolean;
}

export function createOpenRequests(): OpenRequests {
  const open = new Map<string | number, number>();
  let characters = 0;
  const forget = (id: string | number): void => {
    characters -= open.get(id) ?? 0;
    open.delete(id);
  };
  return {
    taken: (message, size) => {
      if (!('method' in message)) return;
      if (message.method === 'notifications/cancelled') {
        const id = message.params?.['requestId'];
        if (typeof id === 'string' || typeof id === 'number') forget(id);
      } else if ('id' in message && message.method !== 'subscriptions/listen') {
        forget(message.id);
        open.set(message.id, size);
        characters += size;
      }
    },
    sent: (message) => {
      if (!('method' in message) && message.id !== undefined) forget(message.id);
    },
    isFull: () => open.size >= openRequestsMax || characters > messageBytesMax,
  };
}
