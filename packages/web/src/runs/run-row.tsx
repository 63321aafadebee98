/*
 * A run in a list: what, where, since when, how it stands; and the button that ends one that lives.
 */
import { useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Badge, Row } from '../parts/rows.tsx';
import { formatStanding, lineOf, moodOf, type Run } from '../text/run-words.ts';
import { formatAgo, formatLength } from '../text/time-words.ts';
import { StopRun } from './stop-run.tsx';

/* Silence that is worth a word. */
const quietMs = 30_000;

export interface RunRowProps {
  readonly run: Run;
  readonly nowMs: number;
  readonly onChanged: () => Promise<void>;
}

export function RunRow({ run, nowMs, onChanged }: RunRowProps) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Row
      to={`/runs/${run.runId}`}
      what={<code>{run.name ?? lineOf(run)}</code>}
      facts={<RunFacts run={run} nowMs={nowMs} />}
      {...moreOf(run)}
      after={<Badge mood={moodOf(run)}>{formatStanding(run)}</Badge>}
      beside={
        run.treeEndedAt === null && (
          <>
            <button
              type="button"
              class="icon-button"
              aria-label={`Stop ${run.name ?? lineOf(run)}`}
              onClick={() => setIsAsked(true)}
            >
              <Icon name="stop" />
            </button>
            {isAsked && (
              <StopRun run={run} onStopped={onChanged} onClose={() => setIsAsked(false)} />
            )}
          </>
        )
      }
    />
  );
}

/* What it has said last; or that it is not quite over. */
function moreOf({ exit, treeEndedAt, lastLine }: Run): { readonly more?: string } {
  if (exit !== null && treeEndedAt === null) return { more: 'What it left behind lives on.' };
  return typeof lastLine === 'string' ? { more: lastLine } : {};
}

/* Times first: they stay whole where the rest is cut. */
function RunFacts({ run, nowMs }: Pick<RunRowProps, 'run' | 'nowMs'>) {
  const where = whereOf(run);
  const sinceMs = Date.parse(run.startedAt ?? run.createdAt);
  if (run.endedAt !== undefined) {
    const endedMs = Date.parse(run.endedAt);
    return (
      <>
        {formatAgo(endedMs, nowMs)} · took {formatLength(endedMs - sinceMs)} · {where}
      </>
    );
  }
  const silentMs = run.lastOutputAt === null ? 0 : nowMs - Date.parse(run.lastOutputAt);
  return (
    <>
      for {formatLength(nowMs - sinceMs)}
      {silentMs > quietMs && ` · silent for ${formatLength(silentMs)}`} · {where}
    </>
  );
}

export function whereOf({ host }: Pick<Run, 'host'>): string {
  return host === 'local' ? 'this machine' : host;
}
