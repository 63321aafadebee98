/*
 * What we use of `http_ece`, which brings no types: it opens a message that was encrypted for a browser.
 */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  export function decrypt(
    body: Buffer,
    how: {
      readonly version: 'aes128gcm';
      readonly privateKey: ECDH;
      readonly authSecret: Buffer;
    },
  ): Buffer;
}
