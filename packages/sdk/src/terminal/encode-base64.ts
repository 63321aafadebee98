/*
 * Bytes as base64, with what every browser has: `Uint8Array.toBase64` is too new for some.
 */

/* A call takes so many arguments at the most, by a wide margin. */
const charactersAtOnce = 8 * 1024;

export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += charactersAtOnce) {
    text += String.fromCharCode(...bytes.subarray(at, at + charactersAtOnce));
  }
  return btoa(text);
}
