/*
 * Everything that was started: what waits, what runs, and how the rest ended.
 */
import { useMemo } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Group, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatStanding, moodOf, type Run } from '../text/run-words.ts';
import { formatAgo, formatLength } from '../text/time-words.ts';

const rowsMax = 50;

export function RunsScreen() {
  const { client, clock } = useApp();
  const runs = useMemo(
    () =>
      createResource(clock, async () => {
        const [living, ended] = await Promise.all([
          client.runs.list({ query: { state: 'running', limit: rowsMax } }),
          client.runs.list({ query: { state: 'finished', limit: rowsMax } }),
        ]);
        return { living: living.items, ended: ended.items };
      }),
    [client, clock],
  );
  return (
    <Screen title="Runs">
      <ResourceView resource={runs}>
        {({ living, ended }) => <RunGroups living={living} ended={ended} nowMs={clock.wallMs()} />}
      </ResourceView>
    </Screen>
  );
}

function RunGroups({
  living,
  ended,
  nowMs,
}: {
  readonly living: readonly Run[];
  readonly ended: readonly Run[];
  readonly nowMs: number;
}) {
  if (living.length + ended.length === 0) {
    return (
      <Empty title="Nothing is running">
        <p>
          What you or your agents start shows up here. Try <code>clf run -d -- make</code>
        </p>
      </Empty>
    );
  }
  const held = living.filter(({ state }) => state === 'held');
  const running = living.filter(({ state }) => state !== 'held');
  return (
    <>
      <RunGroup title="Waits for you" runs={held} nowMs={nowMs} />
      <RunGroup title="Running" runs={running} nowMs={nowMs} />
      <RunGroup title="Ended" runs={ended} nowMs={nowMs} />
    </>
  );
}

function RunGroup({
  title,
  runs,
  nowMs,
}: {
  readonly title: string;
  readonly runs: readonly Run[];
  readonly nowMs: number;
}) {
  if (runs.length === 0) return null;
  return (
    <Group title={title} count={runs.length}>
      {runs.map((run) => (
        <Row
          key={run.runId}
          to={`/runs/${run.runId}`}
          what={<code>{run.name ?? run.command}</code>}
          facts={factsOf(run, nowMs)}
          after={<Badge mood={moodOf(run)}>{formatStanding(run)}</Badge>}
        />
      ))}
    </Group>
  );
}

function factsOf({ host, createdAt, startedAt, endedAt }: Run, nowMs: number): string {
  const where = host === 'local' ? 'this machine' : host;
  const since = Date.parse(startedAt ?? createdAt);
  if (endedAt !== undefined) {
    const took = formatLength(Date.parse(endedAt) - since);
    return `${where} · took ${took} · ${formatAgo(Date.parse(endedAt), nowMs)}`;
  }
  return `${where} · for ${formatLength(nowMs - since)}`;
}
