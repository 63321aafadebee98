/*
 * How a reader proves that it has every event: a chain of hashes over a stretch of a thread. The gateway says what the last link is, the
 * reader makes it from the events that it was given, and the two are the same or something is missing, doubled or changed.
 *
 *   link(n) = SHA-256 of  link(n − 1) in hexadecimal · newline · the event as canonical JSON, with the members at, payload, seq, turn_id, type
 *
 * The link before the first is 64 zeros. Hashing is the caller's: a browser has it as a promise, Node as a value.
 */
import type { LoggedEvent } from './block.ts';
import { canonicalJson } from './canonical-json.ts';

export const chainStart = '0'.repeat(64);

/* What is hashed for the next link. */
export function linkText(link: string, { at, payload, seq, turn_id, type }: LoggedEvent): string {
  return `${link}\n${canonicalJson({ at, payload, seq, turn_id, type })}`;
}

export interface SeqRange {
  readonly from: number;
  readonly to: number;
}

/* The numbers after `since` up to `last` that are not there, in their order. */
export function missingSeqs(
  seqs: Iterable<number>,
  { since, last }: { readonly since: number; readonly last: number },
): readonly SeqRange[] {
  const ranges: SeqRange[] = [];
  let next = since + 1;
  for (const seq of [...seqs].toSorted((one, other) => one - other)) {
    if (seq < next || seq > last) continue;
    if (seq > next) ranges.push({ from: next, to: seq - 1 });
    next = seq + 1;
  }
  if (next <= last) ranges.push({ from: next, to: last });
  return ranges;
}
