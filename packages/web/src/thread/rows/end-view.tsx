/*
 * How a turn ended: how long it took, what it cost, why it ended; and the way to what it has changed. Lost, restarted and failed are
 * different things, and are told as such.
 */
import { Suspense } from 'preact/compat';
import { useContext } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { formatForReader } from '../../text/reader-text.ts';
import { formatClock, formatLength } from '../../text/time-words.ts';
import { lazyExtra } from '../lazy-extra.ts';
import { ThreadContext } from '../thread-context.ts';
import { endText } from './end-text.ts';
import type { TurnEnd } from './row.ts';

const ChangesCard = lazyExtra(async () => (await import('./changes-card.tsx')).ChangesCard);
const TroubleWays = lazyExtra(async () => (await import('./trouble-ways.tsx')).TroubleWays);

export function EndView({ end }: { readonly end: TurnEnd }) {
  const { threadId } = useContext(ThreadContext);
  const { mood, title } = endText(end);
  const tookMs = end.since === undefined ? undefined : Date.parse(end.at) - Date.parse(end.since);
  const facts = [
    title,
    tookMs !== undefined && formatLength(tookMs),
    end.tokens !== undefined && `${end.tokens.toLocaleString()} tokens`,
    formatClock(Date.parse(end.at)),
  ];
  return (
    <>
      {end.hasChanges !== false && (
        <Suspense fallback={null}>
          <ChangesCard turnId={end.turnId} threadId={threadId} isSure={end.hasChanges} />
        </Suspense>
      )}
      <footer class={`turn-end ${mood}`}>
        {mood === 'good' ? <Icon name="check" /> : mood === 'bad' && <Icon name="close" />}
        <span>{facts.filter(Boolean).join(' · ')}</span>
      </footer>
      {mood === 'bad' && (
        <div class="turn-trouble" role="note">
          <p>{formatForReader(end.message ?? title)}</p>
          <Suspense fallback={null}>
            <TroubleWays end={end} />
          </Suspense>
        </div>
      )}
    </>
  );
}
