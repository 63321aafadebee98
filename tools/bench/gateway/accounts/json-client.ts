/*
 * Requests to a gateway over connections that are kept, with as little of our own in between as can be.
 */
import { Agent, request } from 'node:http';

export interface JsonClient {
  /* Resolves to the status and the body, whatever the status is. */
  call(method: string, path: string, body?: string): Promise<JsonAnswer>;
  close(): void;
}

export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
}

export function createJsonClient(url: string, token: string, connections: number): JsonClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { authorization: `Bearer ${token}` };
  return {
    call: async (method, path, body) => {
      const { promise, resolve, reject } = Promise.withResolvers<JsonAnswer>();
      const typed = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = request(new URL(path, url), {
        agent,
        method,
        headers: { ...headers, ...typed },
      });
      sent.on('error', reject);
      sent.on('response', (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
        );
      });
      sent.end(body);
      return promise;
    },
    close: () => agent.destroy(),
  };
}
