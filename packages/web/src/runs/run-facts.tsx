/*
 * All that is known of a run beside its output: where it runs, how it ended and why, what it left, what it uses.
 */
import { useEffect, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Timer } from '@clawdfather/kit';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { CopyButton } from '../parts/copyable.tsx';
import { type Fact, FactList } from '../parts/fact-list.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { formatBytes } from '../text/byte-words.ts';
import { formatStanding, type Run } from '../text/run-words.ts';
import { formatLength } from '../text/time-words.ts';
import type { RunOutput } from './run-output.ts';
import { whereOf } from './run-row.tsx';

export interface RunFactsProps {
  readonly run: Run;
  /* What it says while it is looked at. */
  readonly output?: Pick<RunOutput, 'window'>;
  readonly onLook?: () => Promise<void>;
}

export function RunFacts({ run, output, onLook }: RunFactsProps) {
  useLookAgain(output?.window.value, onLook);
  return (
    <>
      <section class="panel">
        <FactList facts={[...placeOf(run), ...endOf(run), ...limitsOf(run)]} />
        {run.traceId !== null && <CopyButton text={run.traceId} says="Copy the trace id" />}
      </section>
      {run.exit === null && <RunUse runId={run.runId} />}
    </>
  );
}

/* A flood of output is looked at now and then. */
const lookEveryMs = 2_000;

/* No event tells that a run has said something; that the window has changed does. When it spoke last has changed with it. */
function useLookAgain(said: unknown, look: (() => Promise<void>) | undefined): void {
  const { clock } = useApp();
  const latest = useRef(look);
  latest.current = look;
  const next = useRef<Timer | undefined>(undefined);
  useEffect(() => {
    next.current ??= clock.timer(lookEveryMs, () => {
      next.current = undefined;
      void latest.current?.();
    });
  }, [clock, said]);
  useEffect(() => {
    // What came while another view was open.
    void latest.current?.();
    return () => next.current?.cancel();
  }, []);
}

function placeOf(run: Run): readonly Fact[] {
  const labels = Object.entries(run.labels).map(([name, value]) => `${name}=${value}`);
  return [
    ['Command', <code key="command">{run.command}</code>],
    ['Where', `${whereOf(run)}, ${run.cwd}`],
    ['State', formatStanding(run)],
    ['Asked for by', nameOf(run, run.requester)],
    ['Started', run.startedAt === undefined ? undefined : whenOf(run.startedAt)],
    ['Last output', run.lastOutputAt === null ? 'none yet' : whenOf(run.lastOutputAt)],
    ['Journal', journalOf(run)],
    [
      'Waits for a decision',
      run.approvalId === undefined ? undefined : (
        <Link key="approval" class="link" href={`/approvals/${run.approvalId}`}>
          decide it
        </Link>
      ),
    ],
    ['Labels', labels.length === 0 ? undefined : labels.join(', ')],
    ['Id', <code key="id">{run.runId}</code>],
  ];
}

/* More than the bytes of the output: each piece has a header. */
function journalOf({ outputBytes, droppedBytes = 0 }: Run): string | undefined {
  if (outputBytes === undefined || outputBytes === null) return undefined;
  const dropped =
    droppedBytes === 0 ? '' : `; the first ${formatBytes(droppedBytes)} are no longer kept`;
  return `${formatBytes(outputBytes)}: the output, with the time of each piece${dropped}`;
}

function endOf(run: Run): readonly Fact[] {
  const { exit } = run;
  if (exit === null) return [];
  const { usage, leftovers, survivors, treeEnd } = exit;
  const left = leftovers.map(({ command, pid }) => `${command} (${pid})`).join(', ');
  const stuck = survivors.map(({ command, pid }) => `${command} (${pid})`).join(', ');
  return [
    ['Ended', whenOf(exit.endedAt)],
    ['Why', exit.detail ?? undefined],
    ['Ended by', exit.actor === null ? undefined : nameOf(run, exit.actor)],
    ['Took', exit.durationMs === null ? undefined : formatLength(exit.durationMs)],
    [
      'Left behind',
      left === '' || (treeEnd !== undefined && treeEnd !== null)
        ? undefined
        : `${left}: still there`,
    ],
    ['Could not be ended', stuck === '' ? undefined : stuck],
    [
      'Used',
      usage === null
        ? undefined
        : `${formatLength(usage.userMs + usage.systemMs)} of processor time, ${formatBytes(usage.maxRssBytes)} of memory, read ${formatBytes(usage.readBytes)}, wrote ${formatBytes(usage.writeBytes)}`,
    ],
    [
      'Never saved',
      exit.undrainedBytes === 0 ? undefined : `${formatBytes(exit.undrainedBytes)} of output`,
    ],
  ];
}

function limitsOf({ timeoutMs, noOutputTimeoutMs, limits = {} }: Run): readonly Fact[] {
  const words = [
    ...(timeoutMs === null ? [] : [`ends after ${formatLength(timeoutMs)}`]),
    ...(noOutputTimeoutMs === null
      ? []
      : [`ends after ${formatLength(noOutputTimeoutMs)} of silence`]),
    ...Object.entries(limits).map(([name, value]) => `${name} ${value}`),
  ];
  return [['Limits', words.length === 0 ? undefined : words.join(', ')]];
}

/* What it uses now; asked for by a tap, because the gateway looks at every process for it. */
function RunUse({ runId }: { readonly runId: string }) {
  const { client } = useApp();
  const found = useResource(`runs/${runId}/use`, async () => {
    const query = { prefix: runId, use: 'true', limit: 1 } as const;
    return (await client.runs.list({ query })).items[0]?.use ?? null;
  });
  return (
    <section class="panel">
      <ResourceView resource={found}>
        {(use) =>
          use === null ? (
            <p class="quiet">What it uses cannot be seen now.</p>
          ) : (
            <FactList
              facts={[
                ['Processor time so far', formatLength(use.cpuMs)],
                ['Memory', formatBytes(use.memoryBytes)],
                ['Processes', String(use.processes)],
                ['Stopped', use.isStopped === true ? 'by a signal; continue it' : undefined],
              ]}
            />
          )
        }
      </ResourceView>
      <button type="button" class="button small" onClick={() => void found.refresh()}>
        Look again
      </button>
    </section>
  );
}

function nameOf({ names = {} }: Run, actor: string): string {
  return names[actor] ?? actor;
}

function whenOf(iso: string): string {
  return new Date(iso).toLocaleString();
}
