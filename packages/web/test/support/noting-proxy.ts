/*
 * For a browser whose driver cannot run a script before those of a page: a proxy that puts one into the page itself, as a file, which the page's
 * policy allows. It notes what breaks the policy from the first byte on.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { noteWrongs } from './browsers/driver.ts';

export interface NotingProxy extends AsyncDisposable {
  readonly url: string;
}

const notingPath = '/note-wrongs.js';
/* Asked for with this, a page also has a script that its policy forbids. */
export const withForbidden = '?with-forbidden-script';

export async function openNotingProxy(gatewayUrl: string): Promise<NotingProxy> {
  const server = createServer((asked, answer) => {
    if (asked.url === notingPath) {
      answer.setHeader('content-type', 'text/javascript');
      return void answer.end(`(${noteWrongs})()`);
    }
    forward(gatewayUrl, asked, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function forward(gatewayUrl: string, asked: IncomingMessage, answer: ServerResponse): void {
  const isForbidden = asked.url?.endsWith(withForbidden) === true;
  const path = isForbidden ? asked.url?.slice(0, -withForbidden.length) : asked.url;
  // Without an encoding, so that a page can be read here.
  const headers = { ...asked.headers, 'accept-encoding': 'identity' };
  const onward = request(new URL(path ?? '/', gatewayUrl), { method: asked.method, headers });
  onward.on('response', (told) => {
    const isPage = told.headers['content-type']?.startsWith('text/html') === true;
    const { 'content-length': length, ...rest } = told.headers;
    const kept = isPage || length === undefined ? rest : told.headers;
    answer.writeHead(told.statusCode ?? 502, kept);
    if (!isPage) return void told.pipe(answer);
    void text(told).then((page) => answer.end(withNoting(page, isForbidden)));
  });
  // The other side is told by the end of its connection.
  onward.on('error', () => answer.destroy());
  answer.on('close', () => onward.destroy());
  asked.pipe(onward);
}

function withNoting(page: string, isForbidden: boolean): string {
  const scripts = `<script src="${notingPath}"></script>${isForbidden ? '<script>1</script>' : ''}`;
  return page.replace('<head>', `<head>${scripts}`);
}
