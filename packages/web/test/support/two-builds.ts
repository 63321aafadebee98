/*
 * A gateway that has another build of the app at will: between the proxy and the real one, with names of files that differ. What is in them
 * is the same, so both builds work.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred, type Deferred } from '@clawdfather/kit';

export interface TwoBuilds extends AsyncDisposable {
  readonly url: string;
  /* From now on. The files of the other one are still there, as a gateway keeps them, unless they are gone. */
  serve(build: 'first' | 'second', other?: 'kept' | 'gone'): void;
  /* The next worker that takes a build in waits for its page until it is let go. */
  holdInstall(): HeldInstall;
}

export interface HeldInstall {
  /* It is being installed, and cannot be yet. */
  readonly asked: Promise<void>;
  release(): void;
}

/* Names that have the hash of what is in them, in texts and addresses. */
const hashed = /(\/app\/index-)([\w-]{8})(\.js)/g;
const swapped = /\/app\/index-(second--)\.js/;

export async function openTwoBuilds(gatewayUrl: string): Promise<TwoBuilds> {
  const state = { build: 'first', other: 'kept' };
  let entry = '';
  let held: { readonly asked: Deferred<void>; readonly released: Deferred<void> } | undefined;
  const server = createServer((asked, answer) => {
    const waiting = held;
    if (waiting === undefined || !isOfInstall(asked)) return answerNow(asked, answer);
    held = undefined;
    waiting.asked.resolve();
    void waiting.released.promise.then(() => answerNow(asked, answer));
  });
  const answerNow = (asked: IncomingMessage, answer: ServerResponse): void => {
    const path = asked.url ?? '/';
    const isSecond = swapped.test(path);
    if (
      /\/app\/index-/.test(path) &&
      state.other === 'gone' &&
      isSecond !== (state.build === 'second')
    ) {
      return void answer.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    }
    if (isSecond) return pass(asked, answer, { path: entry });
    const isText =
      path === '/sw.js' || (asked.headers['sec-fetch-dest'] ?? '') === 'document' || path === '/';
    if (!isText) return pass(asked, answer, { path });
    pass(asked, answer, {
      path,
      rewrite: (text) => {
        entry = hashed.exec(text)?.[0] ?? entry;
        hashed.lastIndex = 0;
        if (state.build === 'first') return text;
        const id = /index-([\w-]{8})/.exec(text)?.[1] ?? '';
        return text.replaceAll(`index-${id}`, 'index-second--');
      },
    });
  };
  const { port } = new URL(gatewayUrl);
  function pass(
    asked: IncomingMessage,
    answer: ServerResponse,
    how: { readonly path: string; readonly rewrite?: (text: string) => string },
  ): void {
    const headers = { ...asked.headers };
    if (how.rewrite !== undefined) {
      delete headers['accept-encoding'];
      delete headers['if-none-match'];
    }
    const sent = request(
      { port, host: '127.0.0.1', method: asked.method, path: how.path, headers },
      (came) => {
        const { rewrite } = how;
        if (rewrite === undefined) {
          answer.writeHead(came.statusCode ?? 500, came.headers);
          return void came.pipe(answer);
        }
        let text = '';
        came.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        came.on('end', () => {
          const { 'content-length': _length, etag: _etag, ...rest } = came.headers;
          answer.writeHead(came.statusCode ?? 500, rest).end(rewrite(text));
        });
      },
    );
    // The other side is told by the close that follows.
    sent.on('error', () => answer.destroy());
    answer.on('close', () => sent.destroy());
    asked.pipe(sent);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (build, other = 'kept') => {
      state.build = build;
      state.other = other;
    },
    holdInstall: () => {
      const [asking, released] = [deferred(), deferred()];
      held = { asked: asking, released };
      return { asked: asking.promise, release: released.resolve };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/* The page, asked for by a worker that takes a build in. */
function isOfInstall({ url, headers }: IncomingMessage): boolean {
  return url === '/' && headers['sec-fetch-dest'] === 'empty';
}
