/*
 * What is told besides what was said: lines of ours, decisions, what is missing, and what is not known here.
 */
import { Suspense } from 'preact/compat';
import type { EventBlock } from '@clawdfather/protocol/history';
import { Icon } from '../../parts/icon.tsx';
import { formatForReader } from '../../text/reader-text.ts';
import { formatClock } from '../../text/time-words.ts';
import { wordOf } from '../facts.ts';
import { lazyExtra } from '../lazy-extra.ts';
import { useOpened } from '../thread-context.ts';
import { LongText } from './long-text.tsx';
import { rawTitle } from './raw-words.ts';
import { WholeButton } from './whole-button.tsx';

const Decided = lazyExtra(async () => (await import('./decided.tsx')).Decided);

export function NoteView({ text, mood }: { readonly text: string; readonly mood: string }) {
  return <p class={`note ${mood}`}>{formatForReader(text)}</p>;
}

export function DecisionView({ block: { type, payload, at } }: { readonly block: EventBlock }) {
  return (
    <p class="note plain">
      {type === 'question' ? 'Question' : 'Permission'}
      <Suspense fallback={null}>
        <Decided payload={payload} />
      </Suspense>
      {` · ${formatClock(Date.parse(at))}`}
    </p>
  );
}

export function GapView({ from, to }: { readonly from: number; readonly to: number }) {
  const count = to - from + 1;
  return (
    <p class="note bad" role="note">
      {count === 1 ? `Event ${from} is missing` : `${count} events are missing (${from} to ${to})`}:
      the gateway does not have {count === 1 ? 'it' : 'them'}.
    </p>
  );
}

export function RawView({
  rowKey,
  block,
}: {
  readonly rowKey: string;
  readonly block: EventBlock;
}) {
  const [isOpen, toggle] = useOpened(rowKey);
  const { type, payload, cut } = block;
  const stream = wordOf(payload['stream']);
  const title = rawTitle(type, payload);
  const text = stream === undefined ? undefined : wordOf(payload['text']);
  return (
    <div class="fold raw">
      <button type="button" class="line" aria-expanded={isOpen} onClick={toggle}>
        <span class="quiet">{formatForReader(title)}</span>
        <Icon name="forward" />
      </button>
      {isOpen && (
        <div class="inside">
          <LongText
            rowKey={`${rowKey}-all`}
            text={text ?? JSON.stringify(payload, undefined, 2)}
            from={text === undefined ? 'beginning' : 'end'}
            isCode
          />
          <WholeButton cut={cut} />
        </div>
      )}
    </div>
  );
}
