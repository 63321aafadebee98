/*
 * What can be done with a run: stop it, send it a signal, copy or download its output, take it out of the lists.
 */
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { useAct } from '../data/use-act.ts';
import { Confirm } from '../parts/confirm.tsx';
import { CopyButton } from '../parts/copyable.tsx';
import { ChoiceField, typedIn } from '../parts/fields.tsx';
import { ActNote } from '../parts/act-note.tsx';
import { Sheet } from '../parts/sheet.tsx';
import type { Run } from '../text/run-words.ts';
import { downloadOutput } from './download-output.ts';
import { StopRun } from './stop-run.tsx';

export interface RunActionsProps {
  readonly run: Run;
  /* What is loaded of its output. */
  readonly text: string;
  /* In how many places of it output is missing. */
  readonly gaps?: number;
  readonly onChanged: () => Promise<void>;
}

export function RunActions({ run, text, gaps = 0, onChanged }: RunActionsProps) {
  const { client } = useApp();
  const [, navigate] = useLocation();
  const act = useAct();
  const [told, setTold] = useState<string | undefined>(undefined);
  const [asks, setAsks] = useState<'stop' | 'signal' | 'remove' | undefined>(undefined);
  const close = (): void => setAsks(undefined);
  const params = { id: run.runId };
  const isHeld = run.state === 'held';
  const isLiving = run.exit === null;
  const download = (): void =>
    void act.run(async () => {
      const isWhole = await downloadOutput(client, run.runId);
      setTold(isWhole ? undefined : 'The first 64 MB were saved; the rest is for clf logs.');
    });
  return (
    <>
      <ActNote act={act} />
      {told !== undefined && <p role="status">{told}</p>}
      {gaps > 0 && (
        <p class="quiet">
          Output is missing in {gaps === 1 ? '1 place' : `${gaps} places`}. The copied text does not
          show where.
        </p>
      )}
      <div class="buttons">
        <CopyButton text={text} says="Copy the text" />
        <button type="button" class="button small" disabled={act.isOff} onClick={download}>
          {act.isBusy ? 'Reading …' : 'Download all of it'}
        </button>
        {isLiving && !isHeld && (
          <button type="button" class="button small" onClick={() => setAsks('signal')}>
            Send a signal
          </button>
        )}
      </div>
      {/* One that lives has its button at the top. */}
      {(isHeld || !isLiving) && (
        <div class="buttons apart">
          {isHeld || run.leftovers > 0 ? (
            <button type="button" class="button danger" onClick={() => setAsks('stop')}>
              {isHeld ? 'Withdraw …' : 'End what it left'}
            </button>
          ) : (
            <button type="button" class="button danger" onClick={() => setAsks('remove')}>
              Remove from the lists
            </button>
          )}
        </div>
      )}
      {asks === 'stop' && <StopRun run={run} onStopped={onChanged} onClose={close} />}
      {asks === 'signal' && <SendSignal run={run} onDone={onChanged} onClose={close} />}
      {asks === 'remove' && (
        <Confirm
          title="Remove it from the lists?"
          does="Remove it"
          onDo={async () => {
            await client.runs.remove({ params });
            navigate('/runs', { replace: true });
          }}
          onClose={close}
        >
          <p>Its output goes with it, at the next clean-up.</p>
        </Confirm>
      )}
    </>
  );
}

const signals = [
  ['SIGINT', 'SIGINT: interrupt, as Control C'],
  ['SIGTERM', 'SIGTERM: please end'],
  ['SIGHUP', 'SIGHUP: hang up, or read the settings again'],
  ['SIGUSR1', 'SIGUSR1'],
  ['SIGUSR2', 'SIGUSR2'],
  ['SIGSTOP', 'SIGSTOP: stand still'],
  ['SIGCONT', 'SIGCONT: go on'],
  ['SIGQUIT', 'SIGQUIT: end, with a dump'],
  ['SIGKILL', 'SIGKILL: killed'],
] as const;

function SendSignal({
  run,
  onDone,
  onClose,
}: {
  readonly run: Run;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { client } = useApp();
  const act = useAct();
  const send = async (signal: string): Promise<void> => {
    await client.runs.signal({ params: { id: run.runId }, body: { signal } });
    await onDone();
    onClose();
  };
  return (
    <Sheet title="Send a signal" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const signal = typedIn(new FormData(event.currentTarget), 'signal') ?? 'SIGINT';
          void act.run(() => send(signal));
        }}
      >
        <ChoiceField name="signal" says="Signal" options={signals} value="SIGINT" />
        <ActNote act={act} />
        <button type="submit" class="button main" disabled={act.isOff}>
          Send it
        </button>
      </form>
    </Sheet>
  );
}
