/*
 * Binds a sign-in that leaves for GitHub to the browser it began in: the state that comes back is good only together with this
 * cookie. SameSite=Lax, because it is GitHub's page that sends the browser back. The browser's own cookie is not sent then, so
 * the id of the device that it is goes along here.
 */
import { parseCookie, stringifySetCookie } from 'cookie';

const name = '__Host-clf-oauth';
const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
/* As long as the state that it belongs to. */
const lifetimeSeconds = 600;

export interface Binding {
  readonly secret: string;
  readonly deviceId: string | undefined;
}

export function formatBinding({ secret, deviceId }: Binding): string {
  const value = deviceId === undefined ? secret : `${secret}.${deviceId}`;
  return stringifySetCookie({ name, value, maxAge: lifetimeSeconds, ...attributes });
}

export function formatEndedBinding(): string {
  return stringifySetCookie({ name, value: '', maxAge: 0, ...attributes });
}

export function parseBinding(cookie: string | undefined): Binding | undefined {
  const value = cookie === undefined ? undefined : parseCookie(cookie)[name];
  if (value === undefined) return undefined;
  const [secret = '', deviceId] = value.split('.');
  return { secret, deviceId };
}
