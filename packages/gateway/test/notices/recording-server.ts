/*
 * A server on the loopback that records what is posted to it, and answers as it is told.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Posted {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a wrong path fails where it is used
  readonly body: any;
}

export interface RecordingServer extends AsyncDisposable {
  readonly url: string;
  readonly posted: Posted[];
  /* From now on; the default answers 200. */
  answerWith(answer: (response: ServerResponse, posted: Posted) => void): void;
  /* Resolves when so many have come. */
  untilPosted(count: number): Promise<void>;
}

export async function openRecordingServer(): Promise<RecordingServer> {
  const posted: Posted[] = [];
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let answer = (response: ServerResponse, _posted: Posted): void => void response.end('ok');
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const one = { path, headers, text, body: JSON.parse(text) };
      posted.push(one);
      answer(response, one);
      const isThere = ({ count }: { readonly count: number }) => posted.length >= count;
      for (const { resolve } of waiting.filter(isThere)) resolve();
      waiting = waiting.filter((one) => !isThere(one));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    posted,
    answerWith: (next) => {
      answer = next;
    },
    untilPosted: (count) =>
      posted.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
