/*
 * J4 at a gateway: its stream of output says nothing of a run that stands still, so whoever waits in front of one has it asked
 * after now and then.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import type { Stall } from '@clawdfather/supervisor';
import type { Place, RunHandle } from '../place/place.ts';

export interface StandstillDeps {
  readonly place: Pick<Place, 'list' | 'stalls'>;
  readonly run: Pick<RunHandle, 'runId'>;
  readonly clock: Clock;
  /* Undefined: it goes on. */
  readonly tell: (stall: Stall | undefined) => void;
}

/* A person waits longer before wondering; a gateway hardly notices. */
const lookMs = 5_000;

export function watchStandstill({ place, run, clock, tell }: StandstillDeps): Disposable {
  let told: Stall | undefined;
  let timer: Timer | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const found = await place.list({ idPrefix: run.runId, limit: 1 });
    const stall = (await place.stalls(found)).get(run.runId);
    if (isOver || stall === told) return;
    told = stall;
    tell(stall);
  };
  const wait = (): void => {
    timer = clock.timer(lookMs, () => {
      // A gateway that does not answer is told by those who wait for its output.
      void look()
        .catch(() => {})
        .finally(() => {
          if (!isOver) wait();
        });
    });
  };
  wait();
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      timer?.cancel();
    },
  };
}
