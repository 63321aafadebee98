/*
 * Ending a run: asked to end, with time to clean up, or killed at once. What it has started ends with it.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type Act, useAct } from '../data/use-act.ts';
import { ActNote } from '../parts/act-note.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { isEnding, type Run } from '../text/run-words.ts';

export interface StopRunProps {
  readonly run: Run;
  readonly onStopped: () => Promise<void>;
  readonly onClose: () => void;
}

export function StopRun({ run, onStopped, onClose }: StopRunProps) {
  const { client } = useApp();
  // Each of the two by itself: one that was asked takes its time, and who does not want to wait for it can kill it meanwhile.
  const asking = useAct();
  const killing = useAct();
  const params = { id: run.runId };
  const stop = async (act: Act, body: { readonly graceMs?: number }): Promise<void> => {
    const isDone = await act.run(() => client.runs.cancel({ params, body }));
    await onStopped();
    if (isDone) onClose();
  };
  const isHeld = run.state === 'held';
  const isAsked = asking.isBusy || killing.isBusy || isEnding(run);
  useLookOften(asking.isBusy && !isEnding(run), onStopped);
  return (
    <Sheet title={isHeld ? 'Withdraw it?' : 'Stop it?'} onClose={onClose}>
      <div class="command">{run.command}</div>
      <p class="quiet">
        {isHeld
          ? 'It waits for a decision and has not started.'
          : isAsked
            ? 'It was asked to end, and has some seconds to clean up. Then it is killed.'
            : 'It ends with all that it has started. If it is asked, it has time to clean up first.'}
      </p>
      <ActNote act={killing.problem === undefined ? asking : killing} />
      <div class="sheet-answers">
        <button
          type="button"
          class="button main"
          disabled={asking.isOff || isAsked}
          onClick={() => void stop(asking, {})}
        >
          {isAsked ? 'Ending …' : isHeld ? 'Withdraw it' : 'Ask it to end'}
        </button>
        {!isHeld && (
          <button
            type="button"
            class="button danger"
            disabled={killing.isOff}
            onClick={() => void stop(killing, { graceMs: 0 })}
          >
            Kill it at once
          </button>
        )}
        <button type="button" class="button" onClick={onClose}>
          {isAsked ? 'Close' : isHeld ? 'Let it wait' : 'Let it run'}
        </button>
      </div>
    </Sheet>
  );
}

const lookMs = 500;

/* That a run is ending is told by no event: it is looked at until it says so. */
function useLookOften(isOn: boolean, look: () => Promise<void>): void {
  const { clock } = useApp();
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    if (!isOn) return;
    const again = (): void => {
      void latest.current().finally(() => {
        if (!isOver) timer = clock.timer(lookMs, again);
      });
    };
    let isOver = false;
    let timer = clock.timer(lookMs, again);
    return () => {
      isOver = true;
      timer.cancel();
    };
  }, [clock, isOn]);
}

/* On every view of a run that lives. */
export function StopButton({ run, onStopped }: Omit<StopRunProps, 'onClose'>) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <button type="button" class="button small danger" onClick={() => setIsAsked(true)}>
        Stop
      </button>
      {isAsked && <StopRun run={run} onStopped={onStopped} onClose={() => setIsAsked(false)} />}
    </>
  );
}
