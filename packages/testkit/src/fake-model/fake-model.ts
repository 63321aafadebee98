/*
 * A model on loopback that says what a test tells it to, so that real agents can be run without an account.
 *
 * Stages of a request: find its API by its path → parse it → find script and round by the nonce → log it → write the answer step by
 * step, waiting at gates. There are no timers: an answer waits for its gates and for the reader, and ends when the client goes.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { answerRequest } from './answer.ts';
import { createGates, type Gates } from './gates.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import type { ModelRound } from './script.ts';
import { findRoute } from './routes.ts';
import { objectOf } from './wires/wire.ts';

export interface FakeModel extends AsyncDisposable {
  /** Without a path: each agent appends its own. */
  readonly url: string;
  /** What is said when a prompt with this nonce arrives. Without a script the model says "ok". */
  script(nonce: string, rounds: readonly ModelRound[]): void;
  readonly log: RequestLog;
  readonly gates: Pick<Gates, 'reached' | 'release'>;
  /** Requests that no API of ours answers, as "METHOD path". */
  readonly unknown: readonly string[];
}

export async function openFakeModel(): Promise<FakeModel> {
  const log = createRequestLog();
  const gates = createGates();
  const scripts = new Map<string, readonly ModelRound[]>();
  const unknown: string[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://loopback');
    const route = findRoute(request.method ?? '', url);
    if (route === undefined) {
      unknown.push(`${request.method} ${url.pathname}`);
      response.writeHead(404).end();
      return;
    }
    const body = request.method === 'POST' ? objectOf(await json(request)) : {};
    if (route.kind === 'fixed') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(route.answer));
      return;
    }
    const attempt = Number(request.headers['x-stainless-retry-count'] ?? 0);
    const arrived = { wire: route.wire, body, url, response, attempt };
    await answerRequest(arrived, { log, gates, scripts });
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => {
      // The client went away in the middle of its request, or sent no JSON: the answer's end tells it.
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    script: (nonce, rounds) => void scripts.set(nonce, rounds),
    log,
    gates,
    unknown,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
