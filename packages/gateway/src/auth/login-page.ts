/*
 * The page that a login link opens: what is happening, then whether it worked. Its files are read at the start, because an upgrade
 * may replace them while we run. The style and the script of the page at `/` are served with them. The page has a button for GitHub only if GitHub
 * is set up.
 */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { setPageHeaders } from '../http/security-headers.ts';

const files = [
  { path: '/login', file: 'login/login.html', type: 'text/html; charset=utf-8' },
  { path: '/login/login.js', file: 'login/login.js', type: 'text/javascript; charset=utf-8' },
  { path: '/login/login.css', file: 'login/login.css', type: 'text/css; charset=utf-8' },
  { path: '/pages/home.css', file: 'home/home.css', type: 'text/css; charset=utf-8' },
  { path: '/pages/home.js', file: 'home/home.js', type: 'text/javascript; charset=utf-8' },
] as const;

/* The button stands on a line of its own. */
const githubButton = /^.*id="github".*\n/m;

export function registerLoginPage(
  server: FastifyInstance,
  { offersGithub }: { readonly offersGithub: boolean },
): void {
  for (const { path, file, type } of files) {
    const text = readFileSync(new URL(`../../static/${file}`, import.meta.url), 'utf8');
    const shown = offersGithub || path !== '/login' ? text : text.replace(githubButton, '');
    server.get(path, (_request, reply) => setPageHeaders(reply).type(type).send(shown));
  }
}
