/*
 * What a request says of who sends it, and that a connection's last words are nobody else's.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenReader, readPresentedToken } from '../../src/auth/presented-token.ts';
import { sessionCookie } from '../../src/auth/session-cookie.ts';
import { hashSecret } from '../../src/auth/token-text.ts';

const tokenOf = (letter: string): string => `clf_${letter.repeat(43)}`;
const bearer = (letter: string) => ({
  authorization: `Bearer ${tokenOf(letter)}`,
  cookie: undefined,
});
const byCookie = (letter: string) => ({
  authorization: undefined,
  cookie: `theme=dark; ${sessionCookie}=${tokenOf(letter)}`,
});

test('a bearer token counts before a cookie, and a scheme that is not ours is no token', () => {
  const tokenHash = hashSecret(tokenOf('A'));
  assert.deepEqual(readPresentedToken(bearer('A')), { tokenHash, cameBy: 'bearer' });
  assert.deepEqual(readPresentedToken(byCookie('A')), { tokenHash, cameBy: 'cookie' });
  assert.deepEqual(
    readPresentedToken({
      ...byCookie('B'),
      authorization: 'Basic abc',
    }),
    {
      tokenHash: undefined,
      cameBy: 'bearer',
    },
  );
  const nothing = { authorization: undefined, cookie: 'theme=dark' };
  assert.equal(readPresentedToken(nothing), undefined);
});

test('whoever speaks next on the same connection is not taken for whoever spoke before', () => {
  const read = createTokenReader();
  const connection = {};
  const others = {};
  const words = [bearer('A'), bearer('B'), byCookie('A'), byCookie('B'), bearer('A')];
  const silent = { authorization: undefined, cookie: undefined };
  for (const spoken of [silent, ...words, silent, ...words]) {
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(read(spoken, connection), readPresentedToken(spoken));
      assert.equal(read(silent, others), undefined);
    }
  }
});

test('the same words on the same connection are read once', () => {
  const read = createTokenReader();
  const connection = {};
  assert.equal(read(bearer('A'), connection), read(bearer('A'), connection));
  assert.notEqual(read(bearer('A'), connection), read(bearer('A'), {}));
});
