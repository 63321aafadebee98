/*
 * One run: how it stands, what it said last, and the button that ends it.
 */
import { useMemo, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { createResource } from '../data/resource.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatStanding, moodOf } from '../text/run-words.ts';

/* The beginning of what it said. */
const outputBytes = 65_536;

export function RunScreen({ id }: { readonly id: string }) {
  const { client, clock } = useApp();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const run = useMemo(
    () =>
      createResource(clock, async () => {
        const [facts, log] = await Promise.all([
          client.runs.get({ params: { id } }),
          client.runs.output({ params: { id }, query: { limit: outputBytes } }),
        ]);
        return { facts, text: log.text };
      }),
    [client, clock, id],
  );
  const stop = async (): Promise<void> => {
    try {
      await client.runs.cancel({ params: { id }, body: {} });
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
    }
    await run.refresh();
  };
  const facts = run.value.value?.facts;
  return (
    <Screen title={facts?.name ?? facts?.command ?? 'Run'} back={{ to: '/runs', name: 'Runs' }}>
      {problem !== undefined && <ProblemView problem={problem} />}
      <ResourceView resource={run}>
        {({ facts: shown, text }) => (
          <>
            <p>
              <Badge mood={moodOf(shown)}>{formatStanding(shown)}</Badge>{' '}
              <span class="quiet">
                {shown.host === 'local' ? 'this machine' : shown.host} · {shown.cwd}
              </span>
            </p>
            <div class="command">{shown.command}</div>
            {shown.exit === null && (
              <button type="button" class="button danger" onClick={() => void stop()}>
                Stop it
              </button>
            )}
            <pre class="output">{text === '' ? 'No output yet.' : text}</pre>
          </>
        )}
      </ResourceView>
    </Screen>
  );
}
