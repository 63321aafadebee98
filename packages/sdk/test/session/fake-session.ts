/*
 * A session whose sockets do what they are told, on a clock that stands still, at a gateway that answers from a list of events.
 */
import { createRandom } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { createClient } from '../../src/client.ts';
import { openSession, type SessionHappening } from '../../src/session/open-session.ts';
import type { SessionStatus } from '../../src/session/session-status.ts';
import { FakeSocket } from '../link/fake-socket.ts';

const at = '2026-01-01T00:00:00.000Z';

export function eventOf(seq: number) {
  return { seq, turn_id: 't', type: 'delta' as const, payload: { text: `${seq}` }, at };
}

const session = {
  id: '0'.repeat(16),
  status: 'active' as 'active' | 'closed',
  agent: 'echo',
  agent_session_id: 't1',
  connection: null,
  ssh_prefix: null,
  created_at: at,
  started_at: at,
  last_seen_at: at,
  closed_at: null,
  close_reason: null as 'user' | null,
  error: null,
  chat_url: 'https://gateway.example/',
};

export interface FakeGateway {
  /* The number of the newest event. */
  lastSeq: number;
  generation: number;
  /* What `GET sessions/:id` answers: `away` for nothing at all. */
  session: 'active' | 'closed' | 'unknown' | 'signed-out' | 'away';
  /* The paths that were asked for. */
  readonly asked: string[];
}

const thread = { id: 't1', last_seq: 0 };

export function openFakeSession({ after }: { readonly after?: number } = {}) {
  const clock = createFakeClock();
  const sockets: FakeSocket[] = [];
  const statuses: SessionStatus[] = [];
  const gateway: FakeGateway = { lastSeq: 0, generation: 1, session: 'active', asked: [] };
  const client = createClient({
    baseUrl: 'https://gateway.example:8420',
    fetch: async (url) => answerTo(gateway, new URL(url)),
  });
  const line = openSession(
    { client, sessionId: 's1', ...(after === undefined ? {} : { after }) },
    {
      clock,
      random: createRandom((target) => target.fill(0)),
      onStatus: (status) => void statuses.push(status),
      socket: (url) => {
        const socket = new FakeSocket(url, { canPause: false });
        sockets.push(socket);
        return socket;
      },
    },
  );
  const socket = (): FakeSocket => {
    const newest = sockets.at(-1);
    if (newest === undefined) throw new Error('no socket was opened');
    return newest;
  };
  const happenings: SessionHappening[] = [];
  const ended = (async () => {
    for await (const one of line) happenings.push(one);
  })();
  return {
    line,
    clock,
    gateway,
    sockets,
    statuses,
    socket,
    happenings,
    ended,
    seqs: () => happenings.flatMap((one) => (one.kind === 'event' ? [one.event.seq] : [])),
    kinds: () => statuses.map(({ kind }) => kind),
    /* The newest socket opens, and the gateway lets it in. */
    letIn: () => {
      socket().open();
      socket().say({
        type: 'session',
        session,
        thread: { ...thread, last_seq: gateway.lastSeq },
        gateway: { instance_id: 'i', generation: gateway.generation, version: '1' },
      });
    },
    /* Adds the next events; over the socket, or unseen. */
    happen: (count: number, { isSent = true } = {}) => {
      for (let left = count; left > 0; left -= 1) {
        gateway.lastSeq += 1;
        if (isSent) {
          socket().say({ type: 'event', seq: gateway.lastSeq, event: eventOf(gateway.lastSeq) });
        }
      }
    },
  };
}

function answerTo(gateway: FakeGateway, { pathname, searchParams }: URL): Response {
  gateway.asked.push(pathname);
  if (gateway.session === 'away') throw new TypeError('no network');
  if (pathname.endsWith('/events')) {
    const from = Number(searchParams.get('after'));
    const count = Math.min(500, Math.max(0, gateway.lastSeq - from));
    const items = Array.from({ length: count }, (_, index) => eventOf(from + 1 + index));
    return Response.json({ items, last_seq: gateway.lastSeq });
  }
  if (pathname.startsWith('/api/v1/sessions/')) return sessionAnswer(gateway.session);
  const body = { error: { code: 'not_found', message: 'nothing here', detail: {} } };
  return Response.json(body, { status: 404 });
}

function sessionAnswer(state: FakeGateway['session']): Response {
  const refusal = (status: number, code: string): Response =>
    Response.json({ error: { code, message: code, detail: {} } }, { status });
  if (state === 'unknown') return refusal(404, 'not_found');
  if (state === 'signed-out') return refusal(401, 'unauthorized');
  const closed = { status: 'closed', close_reason: 'user', closed_at: at } as const;
  return Response.json({ session: { ...session, ...(state === 'closed' ? closed : {}) } });
}
