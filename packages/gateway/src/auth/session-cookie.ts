/*
 * The web app's cookie. `__Host-` binds it to this host and to TLS (browsers count loopback as good as TLS), HttpOnly keeps it
 * from scripts, SameSite=Strict from other sites.
 */
import { stringifySetCookie } from 'cookie';

export const sessionCookie = '__Host-clf';

const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;

export function formatSessionCookie(token: string, lifetimeSeconds: number): string {
  return stringifySetCookie({
    name: sessionCookie,
    value: token,
    maxAge: lifetimeSeconds,
    ...attributes,
  });
}

export function formatEndedCookie(): string {
  return stringifySetCookie({ name: sessionCookie, value: '', maxAge: 0, ...attributes });
}
