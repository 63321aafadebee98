/*
 * What an owner does all day, timed one by one: a look at the list of runs, the start of a short command, a key that is echoed
 * over a socket.
 */
import { once } from 'node:events';
import { createSystemClock } from '@clawdfather/kit';
import { WebSocket } from 'ws';
import { createJsonClient, type JsonClient } from './json-client.ts';

export type CallKind = 'list' | 'start' | 'echo';
export type CallTimes = Readonly<Record<CallKind, readonly number[]>>;

export interface OwnerCalls extends AsyncDisposable {
  /* So many of each kind, in turns; fewer if they take more than a minute. */
  measure(count: number): Promise<CallTimes>;
}

const clock = createSystemClock();
/* Between two calls: a person and their programs are not a benchmark that asks without a break. */
const pauseMs = 2;
/* An owner who is kept from working is not waited for. */
const measureMsMax = 60_000;

export async function openOwnerCalls(url: string, token: string): Promise<OwnerCalls> {
  const client = createJsonClient(url, token, 1);
  const runId = await startCat(client);
  const socket = await openEcho(`${url.replace('http', 'ws')}/ws/runs/${runId}`, token);
  const kinds: Readonly<Record<CallKind, () => Promise<void>>> = {
    list: () => expect(client, 'GET', '/api/v1/runs?limit=20'),
    start: () =>
      expect(client, 'POST', '/api/v1/runs', JSON.stringify({ command: 'true', yieldMs: 10_000 })),
    echo: () => socket.echo(),
  };
  return {
    measure: async (count) => {
      const times: Record<CallKind, number[]> = { list: [], start: [], echo: [] };
      const untilMs = clock.monotonicMs() + measureMsMax;
      for (let turn = 0; turn < count && clock.monotonicMs() < untilMs; turn += 1) {
        for (const [kind, call] of Object.entries(kinds)) {
          const sinceMs = clock.monotonicMs();
          await call();
          times[kind as CallKind].push(clock.monotonicMs() - sinceMs);
          await clock.sleep(pauseMs);
        }
      }
      return times;
    },
    [Symbol.asyncDispose]: async () => {
      await client.call('POST', `/api/v1/runs/${runId}/cancel`, '{}');
      socket.close();
      client.close();
    },
  };
}

async function expect(client: JsonClient, ...call: Parameters<JsonClient['call']>): Promise<void> {
  const { status, text } = await client.call(...call);
  if (status >= 300) throw new Error(`${call[1]} answered ${status}: ${text}`);
}

async function startCat(client: JsonClient): Promise<string> {
  const body = JSON.stringify({ command: 'exec cat' });
  const { text } = await client.call('POST', '/api/v1/runs', body);
  return String((JSON.parse(text) as { readonly runId?: string }).runId);
}

async function openEcho(url: string, token: string) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  let heard = (): void => {};
  socket.on('message', (_data, isBinary) => {
    if (isBinary) heard();
  });
  await once(socket, 'open');
  const said = once(socket, 'message');
  socket.send(JSON.stringify({ type: 'auth', token }));
  socket.send(JSON.stringify({ type: 'terminal.attach', binary: true }));
  await said;
  return {
    echo: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      heard = resolve;
      socket.send(JSON.stringify({ type: 'terminal.input', data: 'x\n' }));
      await promise;
    },
    close: () => socket.terminate(),
  };
}
