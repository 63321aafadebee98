/*
 * The page that a login link opens: what is happening, then whether it worked. Its files are read with the first request.
 */
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { pagePolicy } from '../http/security-headers.ts';

const files = [
  { path: '/login', file: 'login.html', type: 'text/html; charset=utf-8' },
  { path: '/login/login.js', file: 'login.js', type: 'text/javascript; charset=utf-8' },
  { path: '/login/login.css', file: 'login.css', type: 'text/css; charset=utf-8' },
] as const;

export function registerLoginPage(server: FastifyInstance): void {
  for (const { path, file, type } of files) {
    let text: string | undefined;
    server.get(path, async (_request, reply) => {
      // The same distance from the source as from what is built of it.
      text ??= await readFile(new URL(`../../static/login/${file}`, import.meta.url), 'utf8');
      return reply.header('content-security-policy', pagePolicy).type(type).send(text);
    });
  }
}
