/*
 * One run: what it says as it says it, typing into it, and all that is known of it.
 *
 * Output that came through pipes is read as text that fits the screen. Of a terminal, the text on its screen is shown; what scrolled away is in
 * the other view.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { createNextPaint } from '../data/next-paint.ts';
import { useNow } from '../data/use-now.ts';
import { useResource } from '../data/use-resource.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { notesIn, textOf } from '../runs/output-window.ts';
import { Reader } from '../runs/reader.tsx';
import { RunActions } from '../runs/run-actions.tsx';
import { RunFacts } from '../runs/run-facts.tsx';
import { RunInput } from '../runs/run-input.tsx';
import { openRunOutput, type RunOutput } from '../runs/run-output.ts';
import { StopButton } from '../runs/stop-run.tsx';
import { TerminalText } from '../runs/terminal-text.tsx';
import { formatStanding, lineOf, moodOf, type Run } from '../text/run-words.ts';
import { formatClock, formatLength } from '../text/time-words.ts';

type View = 'screen' | 'reader' | 'about';

export function RunScreen({ id }: { readonly id: string }) {
  const { client } = useApp();
  const run = useResource(`runs/${id}`, () => client.runs.get({ params: { id } }), [
    'run_',
    'approval_',
  ]);
  const known = run.value.value;
  const isHeld = known?.state === 'held';
  const isKnown = known !== undefined;
  return (
    <Screen
      title={known === undefined ? 'Run' : (known.name ?? lineOf(known))}
      kind="Run"
      back={{ to: '/runs', name: 'Runs' }}
      actions={known && <Badge mood={moodOf(known)}>{formatStanding(known)}</Badge>}
      scrolls="itself"
      foot={isKnown && !isHeld && known.exit === null && <RunInput key={id} run={known} />}
    >
      {isKnown && !isHeld ? (
        <Started key={id} run={known} onChanged={() => run.refresh()} />
      ) : (
        <div class="scroller">
          <ResourceView resource={run}>
            {(held) => (
              <>
                <RunFacts run={held} />
                <RunActions run={held} text="" onChanged={() => run.refresh()} />
              </>
            )}
          </ResourceView>
        </div>
      )}
    </Screen>
  );
}

function Started({ run, onChanged }: { readonly run: Run; onChanged: () => Promise<void> }) {
  const output = useOutput(run.runId, onChanged);
  const [chosen, setView] = useState<View | undefined>(undefined);
  const [search, setSearch] = useState('');
  const view = chosen ?? (run.pty && run.exit === null ? 'screen' : 'reader');
  return (
    <div class="run">
      <div class="run-head">
        <div class="views" role="group" aria-label="View">
          {run.pty && <ViewButton name="Screen" view="screen" now={view} onPick={setView} />}
          <ViewButton name="Output" view="reader" now={view} onPick={setView} />
          <ViewButton name="About" view="about" now={view} onPick={setView} />
        </div>
        {run.exit === null && <StopButton run={run} onStopped={onChanged} />}
        {view === 'reader' && (
          <input
            type="search"
            aria-label="Search in the output"
            placeholder="Search"
            autocapitalize="off"
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        )}
      </div>
      <Behind output={output} />
      {view === 'reader' && <Said run={run} output={output} search={search} />}
      {view === 'screen' && <TerminalText runId={run.runId} output={output} />}
      {view === 'about' && (
        <div class="scroller">
          <RunFacts run={run} output={output} onLook={onChanged} />
          <section class="panel bare">
            <RunActions
              run={run}
              text={textOf(output.window.value ?? { blocks: [] })}
              gaps={notesIn(output.window.value ?? { blocks: [] })}
              onChanged={onChanged}
            />
          </section>
        </div>
      )}
    </div>
  );
}

const redrawMs = 1_000;

function Said({ run, output, search }: { run: Run; output: RunOutput; search: string }) {
  const nowMs = useNow(redrawMs);
  const since = Date.parse(run.startedAt ?? run.createdAt);
  const whenEmpty =
    run.exit === null
      ? `No output yet, running ${formatLength(nowMs - since)}.`
      : 'It said nothing.';
  return <Reader output={output} search={search} whenEmpty={whenEmpty} />;
}

/* The connection is lost: what is shown is from then. */
function Behind({ output }: { readonly output: RunOutput }) {
  const { clock } = useApp();
  const [lostAtMs, setLostAtMs] = useState<number | undefined>(undefined);
  const link = output.link.value;
  useEffect(() => {
    if (link === 'live') setLostAtMs(undefined);
    if (link === 'lost') setLostAtMs((before) => before ?? clock.wallMs());
  }, [clock, link]);
  const problem = output.problem.value;
  // That the gateway does not answer is said by the strip at the top.
  if (problem?.kind === 'unreachable') {
    return <p class="behind">The output is shown when the gateway answers.</p>;
  }
  if (problem !== undefined) return <ProblemView problem={problem} onRetry={output.retry} />;
  if (lostAtMs === undefined) return null;
  return (
    <p class="behind" role="status">
      Showing {formatClock(lostAtMs)}, catching up.
    </p>
  );
}

function useOutput(runId: string, onExit: () => Promise<void>): RunOutput {
  const { client, clock, random, connection } = useApp();
  const output = useMemo(
    () =>
      openRunOutput(
        {
          client,
          clock,
          random,
          renewals: connection.renewals,
          beforePaint: createNextPaint(clock, globalThis),
          onExit: () => void onExit(),
        },
        runId,
      ),
    [client, clock, random, connection, runId],
  );
  useEffect(() => () => output.close(), [output]);
  return output;
}

function ViewButton({
  name,
  view,
  now,
  onPick,
}: {
  readonly name: string;
  readonly view: View;
  readonly now: View;
  readonly onPick: (view: View) => void;
}) {
  return (
    <button
      type="button"
      class="view-button"
      aria-pressed={view === now}
      onClick={() => onPick(view)}
    >
      {name}
    </button>
  );
}
