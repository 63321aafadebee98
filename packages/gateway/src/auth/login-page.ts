/*
 * The page that a login link opens: what is happening, then whether it worked. Its files are read at the start, because an
 * upgrade may replace them while we run. The bare address, as it is printed at the start, leads here too. The page has a button for GitHub only if GitHub is set up.
 */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { setPageHeaders } from '../http/security-headers.ts';

const files = [
  { path: '/login', file: 'login.html', type: 'text/html; charset=utf-8' },
  { path: '/login/login.js', file: 'login.js', type: 'text/javascript; charset=utf-8' },
  { path: '/login/login.css', file: 'login.css', type: 'text/css; charset=utf-8' },
] as const;

/* The button stands on a line of its own. */
const githubButton = /^.*id="github".*\n/m;

export function registerLoginPage(
  server: FastifyInstance,
  { offersGithub }: { readonly offersGithub: boolean },
): void {
  server.get('/', (_request, reply) => reply.redirect('/login', 303));
  for (const { path, file, type } of files) {
    const text = readFileSync(new URL(`../../static/login/${file}`, import.meta.url), 'utf8');
    const shown = offersGithub || file !== 'login.html' ? text : text.replace(githubButton, '');
    server.get(path, (_request, reply) => setPageHeaders(reply).type(type).send(shown));
  }
}
