/*
 * What is said of a run whose shim died without writing down the end. The shim holds the run and is the only one that sees how
 * the command ends, so its death is the cause that is told, in these words wherever it is noticed (T3).
 */
import { signalNameOf } from '../../lifecycle/signal-name.ts';

export interface DeadShim {
  /* Undefined: it was never recorded. */
  readonly shimPid: number | undefined;
  /* Known only to its parent. */
  readonly signal?: number | undefined;
  /* How many processes of the run were ended because of it. */
  readonly ended: number;
  /* The command's own end was written before. */
  readonly isExitKnown: boolean;
}

export function formatShimDied({ shimPid, signal, ended, isExitKnown }: DeadShim): string {
  const shim = shimPid === undefined ? 'its shim' : `its shim (process ${shimPid})`;
  const how =
    signal === undefined ? 'was killed or crashed' : `was killed by ${signalNameOf(signal)}`;
  const unknown = isExitKnown ? '' : ', so how the command ended is not known';
  const others = ended === 1 ? '1 process of the run' : `${ended} processes of the run`;
  return `${shim} ${how}${unknown}${ended === 0 ? '' : `; ${others} had to be ended`}`;
}
