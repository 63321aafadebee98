/*
 * The end of a list that goes on. Without the gateway it is off, and says why; what failed is said here, where it was asked for.
 */
import { useState } from 'preact/hooks';
import type { Problem } from '../data/problem.ts';
import { useAct } from '../data/use-act.ts';
import { ActNote } from './act-note.tsx';

export function ShowMore({
  shown,
  total,
  onMore,
}: {
  readonly shown: number;
  readonly total: number;
  /* Why there is not more, if it failed. */
  readonly onMore: () => Promise<Problem | undefined>;
}) {
  const { isOff, whyOff, run } = useAct();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  if (shown >= total) return null;
  return (
    <>
      <button
        type="button"
        class="button plain wide"
        disabled={isOff}
        onClick={() => void run(async () => setProblem(await onMore()))}
      >
        Show more ({shown} of {total})
      </button>
      <ActNote act={{ problem, whyOff }} />
    </>
  );
}
