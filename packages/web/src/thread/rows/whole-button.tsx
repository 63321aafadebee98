/*
 * Leads to all of an event of which only a part is shown.
 */
import type { Cut } from '@clawdfather/protocol/history';
import { useContext } from 'preact/hooks';
import { ThreadContext } from '../thread-context.ts';
import { formatSize } from './long-text.tsx';

export function WholeButton({ cut }: { readonly cut: readonly Cut[] }) {
  const { show } = useContext(ThreadContext);
  return (
    <>
      {cut.slice(0, buttonsMax).map(({ seq, bytes }) => (
        <button
          key={seq}
          type="button"
          class="button plain small"
          onClick={() => show({ kind: 'whole', seq })}
        >
          Show all of it ({formatSize(bytes)})
        </button>
      ))}
    </>
  );
}

/* One tool that told of itself a thousand times needs no thousand buttons: the newest has all. */
const buttonsMax = 3;
