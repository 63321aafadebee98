/*
 * What a browser holds that waits to be let in: only with it the sign-in is finished. No script can read it.
 */
import { parseCookie, stringifySetCookie } from 'cookie';
import { claimMs, collectMs, confirmMs } from './next-login-code.ts';

const name = '__Host-clf-claim';
const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;
const lifetimeSeconds = (claimMs + confirmMs + collectMs) / 1_000;

export function formatClaim(secret: string): string {
  return stringifySetCookie({ name, value: secret, maxAge: lifetimeSeconds, ...attributes });
}

export function formatEndedClaim(): string {
  return stringifySetCookie({ name, value: '', maxAge: 0, ...attributes });
}

export function parseClaim(cookie: string | undefined): string | undefined {
  return cookie === undefined ? undefined : parseCookie(cookie)[name];
}
