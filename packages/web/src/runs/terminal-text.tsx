/*
 * What is on the terminal of a run, as text: read again when the run has said something, and not more often than twice a second. It never
 * changes the size of the terminal.
 */
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { ResourceView } from '../parts/resource-view.tsx';
import type { RunOutput } from './run-output.ts';

const pauseMs = 500;

export function TerminalText({ runId, output }: { runId: string; output: RunOutput }) {
  const { client, clock } = useApp();
  const screen = useResource(`runs/${runId}/screen`, () =>
    client.runs.screen({ params: { id: runId } }),
  );
  useEffect(() => {
    const ending = new AbortController();
    let isWaiting = false;
    /* What comes while it is read is read after it. */
    const look = async (): Promise<void> => {
      if (isWaiting || output.arrived.value === 0) return;
      isWaiting = true;
      await clock.sleep(pauseMs, ending.signal);
      isWaiting = false;
      await screen.refresh();
    };
    const stop = effect(() => {
      void output.arrived.value;
      look().catch(() => {
        /* The screen was left. */
      });
    });
    return () => {
      ending.abort();
      stop();
    };
  }, [clock, screen, output]);
  return (
    <div class="scroller reader">
      <ResourceView resource={screen}>
        {({ lines, cols, rows, title }) => (
          <>
            {title !== '' && <p class="quiet">{title}</p>}
            <pre class="terminal-text" role="log" aria-label="Terminal" tabIndex={0}>
              {lines.join('\n').trimEnd() === '' ? 'The screen is empty.' : lines.join('\n')}
            </pre>
            <p class="quiet">
              Its terminal has {cols} × {rows} characters.
            </p>
          </>
        )}
      </ResourceView>
    </div>
  );
}
