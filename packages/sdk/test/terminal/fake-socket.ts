/*
 * The other end of a terminal's sockets, in the same process: what it was sent, and what it says.
 */
import { createRandom } from '@clawdfather/kit';
import type { SocketClientMessage, RunServerMessage, SocketAuth } from '@clawdfather/protocol/api';
import { createFakeClock } from '@clawdfather/testkit';
import { createClient } from '../../src/client.ts';
import type { LinkState } from '../../src/follow-events.ts';
import { openTerminal, type RunToDrive } from '../../src/terminal/open-terminal.ts';
import type { SocketEvent, WebSocketLike } from '../../src/terminal/web-socket-like.ts';
import { binaryMessage } from './messages.ts';

type Sent = SocketAuth | SocketClientMessage;

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

  say(message: RunServerMessage): void {
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

export interface FakeLineOptions extends Omit<RunToDrive, 'client' | 'runId'> {
  readonly canPause?: boolean;
  readonly token?: string;
  readonly signal?: AbortSignal;
  readonly rejoinAt?: () => Promise<string | undefined>;
}

/* A terminal whose sockets are all fake, on a clock that stands still. */
export function openFakeLine(options: FakeLineOptions = {}) {
  const { canPause = false, token, signal, rejoinAt, ...run } = options;
  const clock = createFakeClock();
  const sockets: FakeSocket[] = [];
  const links: LinkState[] = [];
  const baseUrl = 'https://gateway.example:8420';
  const terminal = openTerminal(
    {
      client: createClient({ baseUrl, ...(token === undefined ? {} : { token }) }),
      runId: 'r1',
      ...run,
    },
    {
      clock,
      random: createRandom((target) => target.fill(0)),
      onLink: (state) => void links.push(state),
      socket: (url) => {
        const socket = new FakeSocket(url, { canPause });
        sockets.push(socket);
        return socket;
      },
      ...(signal === undefined ? {} : { signal }),
      ...(rejoinAt === undefined ? {} : { rejoinAt }),
    },
  );
  const socket = (): FakeSocket => {
    const newest = sockets.at(-1);
    if (newest === undefined) throw new Error('no socket was opened');
    return newest;
  };
  return { terminal, clock, sockets, links, socket, events: terminal[Symbol.asyncIterator]() };
}

/* Connected and followed from the beginning. */
export function openLiveLine(options: FakeLineOptions = {}) {
  const line = openFakeLine(options);
  line.socket().open();
  line.socket().attached();
  return line;
}
