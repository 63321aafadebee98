/*
 * The other end of a client's sockets, in the same process: what it was sent, and what it says.
 */
import type { ServerMessage, SessionClientMessage, SocketAuth } from '@clawdfather/protocol/api';
import type { SocketEvent, WebSocketLike } from '../../src/link/web-socket-like.ts';
import { binaryMessage } from '../terminal/messages.ts';

type Sent = SocketAuth | SessionClientMessage;

export class FakeSocket implements WebSocketLike {
  binaryType = 'blob';
  readonly url: string;
  readonly sent: Sent[] = [];
  readonly calls: string[] = [];
  pause?: () => void;
  resume?: () => void;
  readonly #listeners = new Map<string, (event: SocketEvent) => void>();

  constructor(url: string, { canPause }: { readonly canPause: boolean }) {
    this.url = url;
    if (!canPause) return;
    this.pause = () => void this.calls.push('pause');
    this.resume = () => void this.calls.push('resume');
  }

  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.set(type, listener);
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data) as Sent);
  }

  close(code?: number): void {
    this.calls.push(`close ${code}`);
  }

  open(): void {
    this.#tell({ type: 'open' });
  }

  say(message: ServerMessage): void {
    this.#tell({ type: 'message', data: JSON.stringify(message) });
  }

  output(cursor: string, bytes: Uint8Array): void {
    this.#tell({ type: 'message', data: binaryMessage(cursor, bytes) });
  }

  attached(cursor = '0.0'): void {
    this.say({ type: 'terminal.attached', run_id: 'r1', cursor, as: 'terminal' });
  }

  lost(code = 1006, error?: unknown): void {
    if (error !== undefined) this.#tell({ type: 'error', error });
    this.#tell({ type: 'close', code, reason: '' });
  }

  typesSent(): readonly string[] {
    return this.sent.map(({ type }) => type);
  }

  #tell(event: SocketEvent): void {
    this.#listeners.get(event.type)?.(event);
  }
}
