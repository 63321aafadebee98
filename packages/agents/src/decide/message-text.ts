/*
 * The text of the message that an agent is writing, as far as it is stored: its length and hash for the event that ends it (W9). It can be
 * made anew from the stored deltas, so it is in no row.
 */
import { createHash, type Hash } from 'node:crypto';

export interface MessageText {
  readonly hash: Hash;
  readonly bytes: number;
  /* Half of a character at the end: agents cut their texts anywhere, and the hash must not depend on it. */
  readonly half: string;
}

export const noText = (): MessageText => ({ hash: createHash('sha256'), bytes: 0, half: '' });

export function addText({ hash, bytes, half }: MessageText, text: string): MessageText {
  const whole = half + text;
  const isCut = /[\uD800-\uDBFF]$/.test(whole);
  const taken = isCut ? whole.slice(0, -1) : whole;
  const added = Buffer.from(taken);
  const next = hash.copy();
  next.update(added);
  return { hash: next, bytes: bytes + added.length, half: isCut ? whole.slice(-1) : '' };
}

export function sealText({ hash, bytes, half }: MessageText): { bytes: number; sha256: string } {
  const rest = Buffer.from(half);
  const last = hash.copy();
  last.update(rest);
  return { bytes: bytes + rest.length, sha256: last.digest('hex') };
}
