/*
 * What happened since the reader last looked: asked for when a thread is opened, and when a page is seen again. It is proven from the
 * events themselves, fetched apart from what is on the screen.
 */
import { proveReceipt, type ThreadEvent } from '@clawdfather/sdk';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import { isWorthTelling, type Proof, type Receipt, type SeqAt } from './receipt-lines.ts';

/* More than this is fetched only when the reader asks for it: it may be on a phone's bill. */
const bytesUnaskedMax = 300_000;
const pageEvents = 500;

export interface ReceiptState {
  readonly receipt: Receipt;
  readonly proof: Proof;
  readonly seqAt: SeqAt;
  /* Fetches all that it is about, and checks it. */
  readonly prove: () => void;
}

/* `since`: the last event that was looked at; undefined: nothing to tell. */
export function useReceipt(threadId: string, since: number | undefined): ReceiptState | undefined {
  const { client } = useApp();
  const [receipt, setReceipt] = useState<Receipt | undefined>(undefined);
  const [proof, setProof] = useState<Proof>(undefined);
  const [events, setEvents] = useState<readonly Pick<ThreadEvent, 'seq' | 'at'>[]>([]);
  const prove = async (of: Receipt): Promise<void> => {
    setProof(undefined);
    try {
      const read: ThreadEvent[] = [];
      for (let after = of.since; after < of.through; after = read.at(-1)?.seq ?? of.through) {
        const page = await client.threads.events({
          params: { id: threadId },
          query: { after, limit: pageEvents },
        });
        if (page.items.length === 0) break;
        read.push(...page.items);
      }
      setEvents(read.map(({ seq, at }) => ({ seq, at })));
      setProof(await proveReceipt(of, read));
    } catch {
      // Without an answer, or without a secure page, it stays unproven, and says so.
      setProof('not-here');
    }
  };
  useEffect(() => {
    setReceipt(undefined);
    setEvents([]);
    if (since === undefined) return;
    let isOver = false;
    client.history
      .receipt({ params: { id: threadId }, query: { since } })
      .then((found) => {
        if (isOver || !isWorthTelling(found)) return;
        setReceipt(found);
        if (found.bytes <= bytesUnaskedMax) void prove(found);
        else setProof('not-here');
      })
      // The conversation itself is there, and says what it cannot reach.
      .catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [client, threadId, since]);
  if (receipt === undefined) return undefined;
  const seqAt: SeqAt = (at) => events.find((event) => Date.parse(event.at) >= Date.parse(at))?.seq;
  return { receipt, proof, seqAt, prove: () => void prove(receipt) };
}
