/*
 * Whether a reader has all that a receipt is about: the chain of the events that it received ends in the receipt's checksum, or the numbers
 * that are missing are named. In browsers and in Node; a browser hashes only on pages that came by https or from this machine.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import {
  chainStart,
  type LoggedEvent,
  linkText,
  missingSeqs,
  type SeqRange,
} from '@clawdfather/protocol/history';

type Receipt = AnswerOf<Api['history']['receipt']>;

export interface ReceiptProof {
  /* Every event is here, once, as the gateway has it. */
  readonly isProven: boolean;
  readonly events: number;
  readonly bytes: number;
  readonly checksum: string;
  /* Not received; also those that the gateway itself does not have. */
  readonly missing: readonly SeqRange[];
}

/* Events in any order; those that the receipt is not about are left out, and what came twice counts once. */
export async function proveReceipt(
  receipt: Pick<Receipt, 'since' | 'through' | 'checksum' | 'events' | 'missing'>,
  events: Iterable<LoggedEvent>,
): Promise<ReceiptProof> {
  const { since, through } = receipt;
  const bySeq = new Map<number, LoggedEvent>();
  for (const event of events) {
    if (event.seq > since && event.seq <= through) bySeq.set(event.seq, event);
  }
  const inOrder = [...bySeq.values()].toSorted((one, other) => one.seq - other.seq);
  let checksum = chainStart;
  let bytes = 0;
  for (const event of inOrder) {
    const text = new TextEncoder().encode(linkText(checksum, event));
    checksum = hexOf(await crypto.subtle.digest('SHA-256', text));
    // Without the link before it and the newline.
    bytes += text.length - chainStart.length - 1;
  }
  const missing = missingSeqs(bySeq.keys(), { since, last: through });
  const isProven = missing.length === 0 && checksum === receipt.checksum;
  return { isProven, events: inOrder.length, bytes, checksum, missing };
}

function hexOf(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
