/*
 * How far the reader has looked: told to the gateway a moment after the end of the conversation was on the screen, and remembered as it
 * was before, for the receipt.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Timer } from '@clawdfather/kit';
import { useApp } from '../app-context.ts';

/* Several events in a row are one look. */
const lookMs = 1_500;
/* Hidden for less is no absence. */
const awayMs = 60_000;

export interface SeenInput {
  readonly threadId: string;
  /* As the gateway has it; undefined: it has not answered yet. */
  readonly seenSeq: number | undefined;
  readonly lastSeq: number;
  readonly isAtEnd: boolean;
}

/* The last event that was looked at before the reader came (back). Undefined: there is nothing to tell. */
export function useSeen({ threadId, seenSeq, lastSeq, isAtEnd }: SeenInput): number | undefined {
  const { client, clock } = useApp();
  const [since, setSince] = useState<number | undefined>(undefined);
  const told = useRef<number | undefined>(undefined);
  const last = useRef(lastSeq);
  last.current = lastSeq;
  useEffect(() => {
    if (seenSeq === undefined || told.current !== undefined) return;
    told.current = seenSeq;
    // Of a thread that was never looked at, all is new, and there was no absence.
    if (seenSeq > 0) setSince(seenSeq);
  }, [seenSeq]);
  useEffect(() => {
    if (!isAtEnd) return;
    let timer: Timer | undefined;
    // Begins anew when the page is seen again: what has come while it was hidden is looked at only then.
    const look = (): void => {
      timer?.cancel();
      if (document.visibilityState !== 'visible') return;
      if (told.current === undefined || lastSeq <= told.current) return;
      timer = clock.timer(lookMs, () => {
        told.current = lastSeq;
        // It is told again with the next event.
        client.seen
          .mark({ params: { id: threadId }, body: { seq: lastSeq } })
          .catch(() => undefined);
      });
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      timer?.cancel();
    };
  }, [client, clock, threadId, seenSeq, lastSeq, isAtEnd]);
  useEffect(() => {
    let hidden: { readonly atMs: number; readonly seq: number } | undefined;
    const onChange = (): void => {
      if (document.visibilityState === 'hidden') {
        hidden = { atMs: clock.wallMs(), seq: last.current };
        return;
      }
      const { atMs, seq } = hidden ?? { atMs: clock.wallMs(), seq: 0 };
      if (clock.wallMs() - atMs > awayMs && seq > 0) setSince(seq);
    };
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, [clock]);
  return since;
}
