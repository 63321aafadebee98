/*
 * As much of a WebSocket as a terminal needs. The global one of browsers and Node fits, and so does that of the package `ws`.
 */
export interface WebSocketLike {
  binaryType: string;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: SocketEvent) => void,
  ): void;
  /* Where a socket has these two, it is not read while the reader of the events is behind. */
  pause?(): void;
  resume?(): void;
  /* Without a goodbye, for a peer that does not answer. */
  terminate?(): void;
}

export interface SocketEvent {
  readonly type: string;
  /* Of a message: text, or an ArrayBuffer. */
  readonly data?: unknown;
  /* Of a close. */
  readonly code?: number;
  readonly reason?: string;
  /* Why it failed, where the socket says so. A `RefusedError` ends the attempts if waiting would not change it. */
  readonly error?: unknown;
}

export type OpenSocket = (url: string) => WebSocketLike;
