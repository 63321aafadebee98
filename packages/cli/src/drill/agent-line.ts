/*
 * The drill's end of the socket to its agent: waits for what the agent tells, and tells it to go on.
 */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { deferred, orAborted } from '@clawdfather/kit';
import { CliError } from '../errors.ts';
import type { AgentNews } from './agent.ts';

type NewsOf<Type extends AgentNews['type']> = Extract<AgentNews, { readonly type: Type }>;

export interface AgentLine extends AsyncDisposable {
  /* It was asked, and speaks. */
  begun(signal: AbortSignal): Promise<NewsOf<'begun'>>;
  goOn(): void;
  /* It has said everything. */
  said(signal: AbortSignal): Promise<NewsOf<'said'>>;
}

export async function openAgentLine(path: string): Promise<AgentLine> {
  const begun = deferred<NewsOf<'begun'>>();
  const said = deferred<NewsOf<'said'>>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    // A second agent would be a second process, which is what must not happen.
    if (sockets.size > 0) return fail('another agent was started');
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => fail('the agent ended before it had said everything'));
    createInterface({ input: socket }).on('line', (line) => {
      const news = JSON.parse(line) as AgentNews;
      if (news.type === 'begun') begun.resolve(news);
      else said.resolve(news);
    });
  });
  const fail = (message: string): void => {
    const error = new CliError('drill-failed', message);
    begun.reject(error);
    said.reject(error);
  };
  // Whoever waits is told; until then it is nobody's.
  begun.promise.catch(() => {});
  said.promise.catch(() => {});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return {
    begun: (signal) => orAborted(begun.promise, signal),
    goOn: () => {
      for (const socket of sockets) socket.write('go on\n');
    },
    said: (signal) => orAborted(said.promise, signal),
    [Symbol.asyncDispose]: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
