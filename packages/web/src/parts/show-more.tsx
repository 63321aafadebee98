/*
 * The end of a list that goes on.
 */
import { useAct } from '../data/use-act.ts';

export function ShowMore({
  shown,
  total,
  onMore,
}: {
  readonly shown: number;
  readonly total: number;
  readonly onMore: () => Promise<void>;
}) {
  const { isBusy, run } = useAct();
  if (shown >= total) return null;
  return (
    <button
      type="button"
      class="button plain wide"
      disabled={isBusy}
      onClick={() => void run(onMore)}
    >
      Show more ({shown} of {total})
    </button>
  );
}
