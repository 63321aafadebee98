/*
 * A thread in which nothing was said yet: where it is, and what one might begin with.
 */
import { Examples } from '../parts/examples.tsx';
import type { Thread } from '../text/thread-words.ts';

export function FirstWords({
  thread: { known },
  onPick,
}: {
  readonly thread: { readonly known: { readonly thread: Thread } | undefined };
  readonly onPick: (text: string) => void;
}) {
  return (
    <div class="empty">
      <strong>What should {known?.thread.agent} do?</strong>
      <p>It works in {known?.thread.directory}. Pick one and change it, or write your own.</p>
      <Examples onPick={onPick} />
    </div>
  );
}
