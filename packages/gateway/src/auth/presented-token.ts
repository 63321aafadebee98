/*
 * The token that a request carries: the bearer token, or the web app's cookie. Only the hash is handed on.
 *
 * A connection sends the same token again and again, so its last header is kept with its hash as long as it is open. Behind a
 * proxy the next request on the same connection may be another client's; a different header is read anew.
 */
import { parseCookie } from 'cookie';
import type { Caller } from '../http/caller.ts';
import { sessionCookie } from './session-cookie.ts';
import { hashSecret, isTokenText } from './token-text.ts';

export interface Spoken {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}

export interface PresentedToken {
  /* `undefined`: this cannot be a token of ours, and is answered like a bad one. */
  readonly tokenHash: string | undefined;
  readonly cameBy: Caller['cameBy'];
}

/* `undefined`: the request has no token. */
export function readPresentedToken({ authorization, cookie }: Spoken): PresentedToken | undefined {
  if (authorization !== undefined) {
    // Another scheme, or more than a token, is no token of ours.
    return presented(/^bearer ([^ ]+)$/i.exec(authorization)?.[1] ?? '', 'bearer');
  }
  const token = cookie === undefined ? undefined : parseCookie(cookie)[sessionCookie];
  return token === undefined ? undefined : presented(token, 'cookie');
}

function presented(token: string, cameBy: Caller['cameBy']): PresentedToken {
  return { tokenHash: isTokenText(token) ? hashSecret(token) : undefined, cameBy };
}

interface LastWords extends Spoken {
  readonly token: PresentedToken | undefined;
}

/* The same with a memory per connection; `connection` is any object that lives as long as the connection. */
export function createTokenReader(): (
  spoken: Spoken,
  connection: object,
) => PresentedToken | undefined {
  const lastWords = new WeakMap<object, LastWords>();
  return ({ authorization, cookie }, connection) => {
    const last = lastWords.get(connection);
    if (last?.authorization === authorization && last?.cookie === cookie) return last?.token;
    const token = readPresentedToken({ authorization, cookie });
    lastWords.set(connection, { authorization, cookie, token });
    return token;
  };
}
