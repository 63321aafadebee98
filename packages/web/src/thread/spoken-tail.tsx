/*
 * What is read aloud while nobody looks: each text when it is complete, and when the agent begins and ends. The conversation itself is no
 * live region: its rows come and go with scrolling.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Row } from './rows/row.ts';

/* A listener opens the rest. */
const spokenMax = 400;

export function SpokenTail({
  rows,
  isWorking,
}: {
  readonly rows: readonly Row[];
  readonly isWorking: boolean;
}) {
  const [spoken, setSpoken] = useState('');
  const last = useRef<number | undefined>(undefined);
  const text = rows.findLast(({ kind }) => kind === 'piece');
  const block = text?.kind === 'piece' ? text.block : undefined;
  useEffect(() => {
    if (block?.is_complete !== true) return;
    // What was there when the thread was opened is read by who wants to.
    if (last.current !== undefined && block.last_seq > last.current) {
      setSpoken(block.text.slice(0, spokenMax));
    }
    last.current = block.last_seq;
  }, [block?.is_complete, block?.last_seq]);
  const wasWorking = useRef(isWorking);
  useEffect(() => {
    if (wasWorking.current !== isWorking) setSpoken(isWorking ? 'Working' : 'Done');
    wasWorking.current = isWorking;
  }, [isWorking]);
  return (
    <div class="only-read-aloud" role="log" aria-label="News">
      {spoken}
    </div>
  );
}
