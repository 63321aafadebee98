/*
 * The first thing that somebody who comes back sees: what happened meanwhile, and that all of it is here. After reading it is one line, and so it is
 * when the reader goes on and says something. How the thread stands now is said as it is now.
 */
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { type Receipt, receiptDetails, receiptLines, receiptSummary } from './receipt-lines.ts';
import { useReceipt } from './use-receipt.ts';

export interface ReceiptCardProps {
  readonly threadId: string;
  readonly since: number | undefined;
  /* How the thread stands, and how often the reader has said something in it. */
  readonly state: Receipt['state'];
  readonly newestSeq: number;
  readonly saidCount: number;
  readonly onJump: (seq: number) => void;
}

export function ReceiptCard({ threadId, since, saidCount, onJump, ...now }: ReceiptCardProps) {
  const found = useReceipt(threadId, since);
  const [isRead, setIsRead] = useState(false);
  const [saidBefore] = useState(saidCount);
  useEffect(() => {
    if (saidCount > saidBefore) setIsRead(true);
  }, [saidCount, saidBefore]);
  const [isGone, setIsGone] = useState(false);
  if (found === undefined || isGone) return null;
  const { proof, seqAt, prove } = found;
  const receipt = { ...found.receipt, state: now.state, newest_seq: now.newestSeq };
  if (isRead) {
    return (
      <section class="receipt read" aria-label="While you were away">
        <button type="button" class="line" onClick={() => setIsRead(false)}>
          {receiptSummary(receipt, proof)}
        </button>
        <CloseButton says="Put away" onClose={() => setIsGone(true)} />
      </section>
    );
  }
  return (
    <section class="receipt" aria-label="While you were away">
      <header>
        <h2>While you were away</h2>
        <CloseButton says="Fold" onClose={() => setIsRead(true)} />
      </header>
      <ul>
        {receiptLines(receipt, proof, seqAt).map(({ text, mood, seq }) => (
          <li key={text} class={mood}>
            {seq === undefined ? (
              <span class="line">{text}</span>
            ) : (
              <button
                type="button"
                class="line"
                onClick={() => {
                  setIsRead(true);
                  onJump(seq);
                }}
              >
                <span>{text}</span>
                <Icon name="forward" />
              </button>
            )}
          </li>
        ))}
      </ul>
      <details class="quiet">
        <summary>Details</summary>
        {receiptDetails(receipt, proof).map((text) => (
          <p key={text}>{text}</p>
        ))}
      </details>
      {proof === 'not-here' && (
        <button type="button" class="button plain small" onClick={prove}>
          Fetch them and check
        </button>
      )}
    </section>
  );
}

function CloseButton({ says, onClose }: { readonly says: string; readonly onClose: () => void }) {
  return (
    <button type="button" class="icon-button" aria-label={says} onClick={onClose}>
      <Icon name="close" />
    </button>
  );
}
