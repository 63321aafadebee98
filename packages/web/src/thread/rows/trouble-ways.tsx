/*
 * The ways on from a turn that has failed: the same words again, here or in a new thread, and what holds the places that it did not find.
 */
import { useContext } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useApp } from '../../app-context.ts';
import { addToNew } from '../new/new-draft.ts';
import { ThreadContext } from '../thread-context.ts';
import { endHint } from './end-hint.ts';
import type { TurnEnd } from './row.ts';

export function TroubleWays({ end }: { readonly end: TurnEnd }) {
  const { storage } = useApp();
  const [, navigate] = useLocation();
  const { saidIn, writeAgain, show } = useContext(ThreadContext);
  const { hint, held } = endHint(end);
  const said = saidIn(end.turnId);
  const beginAnew = async (): Promise<void> => {
    if (said !== undefined) await addToNew(storage, said);
    navigate('/new');
  };
  return (
    <>
      <p class="quiet">{hint}</p>
      <div class="ways">
        {end.isUnstarted && <Way onTake={() => void beginAnew()}>Begin a new thread</Way>}
        {said !== undefined && <Way onTake={() => writeAgain(said)}>Write it again</Way>}
        {held !== undefined && (
          <Way onTake={() => show({ kind: 'held', held })}>What holds the places</Way>
        )}
      </div>
    </>
  );
}

function Way({ children, onTake }: { readonly children: string; readonly onTake: () => void }) {
  return (
    <button type="button" class="button small" onClick={onTake}>
      {children}
    </button>
  );
}
