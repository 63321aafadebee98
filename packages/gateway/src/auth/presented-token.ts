/*
 * What a request says of who sends it: the bearer token, or the web app's cookie. Only the hash is handed on.
 *
 * A connection says the same over and over, so its last words are kept with their hash, for as long as it is open: the other
 * end holds the same token. Behind a proxy others may speak next on the same connection; what they say is read anew.
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

/* `undefined`: nobody said who they are. */
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

/* The same for whoever is asked often; `connection` is any object that lives as long as it. */
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
