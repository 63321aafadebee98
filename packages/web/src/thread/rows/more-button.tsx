/*
 * Leads to what can be done with a message or a call of a tool. It has a place of its own: a long press stays the browser's, which selects text.
 */
import type { Block } from '@clawdfather/protocol/history';
import { useContext } from 'preact/hooks';
import { ThreadContext } from '../thread-context.ts';
import { keyOf } from './make-rows.ts';

export function MoreButton({ block, about }: { readonly block: Block; readonly about: string }) {
  const { show } = useContext(ThreadContext);
  return (
    <button
      type="button"
      class="icon-button block-more"
      aria-label={`More about ${about}`}
      onClick={() => show({ kind: 'menu', key: keyOf(block) })}
    />
  );
}
