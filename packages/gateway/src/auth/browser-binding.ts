/*
 * Binds a sign-in that leaves for GitHub to the browser it began in: the state that comes back is good only together with this
 * cookie. SameSite=Lax, because it is GitHub's page that sends the browser back.
 */
import { parseCookie, stringifySetCookie } from 'cookie';

const name = '__Host-clf-oauth';
const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
/* As long as the state that it belongs to. */
const lifetimeSeconds = 600;

export function formatBinding(secret: string): string {
  return stringifySetCookie({ name, value: secret, maxAge: lifetimeSeconds, ...attributes });
}

export function formatEndedBinding(): string {
  return stringifySetCookie({ name, value: '', maxAge: 0, ...attributes });
}

export function parseBinding(cookie: string | undefined): string | undefined {
  return cookie === undefined ? undefined : parseCookie(cookie)[name];
}
