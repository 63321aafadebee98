/*
 * How many bytes at the end of what was read are the beginning of something: a character, an escape sequence, a line end.
 *
 * They are left unread, so that a caller who comes back with its cursor gets them whole: nothing is remembered about
 * callers, and the cleaner starts anew at every cursor. A sequence that stays unfinished for longer than the bound is
 * read as it is.
 */

/* Titles, links and colours are far shorter; an image sent through a pipe to an agent is not worth more. */
export const unfinishedBytesMax = 4_096;

const CR = 0x0d;
const ESC = 0x1b;

/* `bytes` is the end of one stream's output. */
export function unfinishedBytes(bytes: Uint8Array): number {
  const escapeAt = bytes.lastIndexOf(ESC);
  if (escapeAt >= 0 && isUnfinished(bytes.subarray(escapeAt))) {
    return bytes.length - stringStart(bytes, escapeAt);
  }
  const open = stringStart(bytes, bytes.length);
  if (open < bytes.length) return bytes.length - open;
  return bytes.at(-1) === CR ? 1 : unfinishedCharacter(bytes);
}

/* Begins with ESC; no other ESC follows. */
function isUnfinished(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  return /^\u001b(?:[ -/]*|\[[ -?]*)$/.test(text) || isOpenString(text);
}

/* OSC, DCS, APC, PM, SOS, without BEL or anything else that ends one. */
function isOpenString(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  return /^\u001b(?:\][^\u0007\u0018\u001a]*|[PX^_][^\u0018\u001a]*)$/.test(text);
}

/* A lone ESC may be the first half of a string's end; then all of the string waits. */
function stringStart(bytes: Uint8Array, end: number): number {
  const before = bytes.subarray(0, end).lastIndexOf(ESC);
  if (before < 0) return end;
  const text = Buffer.from(bytes.subarray(before, end)).toString('latin1');
  return isOpenString(text) ? before : end;
}

/* UTF-8: a lead byte among the last three that wants more than there is. */
function unfinishedCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes.at(-back) ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf8 || lead < 0xc2) return 1;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
