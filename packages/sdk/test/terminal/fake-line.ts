/*
 * A terminal whose sockets do what they are told.
 */
import { createRandom } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { createClient } from '../../src/client.ts';
import type { LinkState } from '../../src/follow-events.ts';
import { openTerminal, type RunToDrive } from '../../src/terminal/open-terminal.ts';
import { FakeSocket } from '../link/fake-socket.ts';

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
