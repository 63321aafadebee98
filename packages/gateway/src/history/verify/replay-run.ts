/*
 * What the journal of a run says, read from its beginning up to where the gateway has come, as hashes. Bytes go by; only hashes are kept.
 */
import {
  type AgentRunRow,
  createReplay,
  createTextReader,
  createWireReader,
  LoadFinder,
  type ThreadRow,
  type WireStep,
} from '@clawdfather/agents';
import { compareCursors, type ManagedRun, outputStart } from '@clawdfather/supervisor';
import { FactList, type SaidFacts } from './said-facts.ts';

export interface ReplayedRun {
  readonly thread: ThreadRow;
  readonly run: AgentRunRow;
  readonly promptCalls: ReadonlySet<number>;
  /* Aborts when the time is up, or nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type Replayed =
  | { readonly outcome: 'read'; readonly facts: SaidFacts }
  /* `trimmed`: its oldest output was dropped. */
  | { readonly outcome: 'trimmed' | 'damaged' | 'no-time' };

type Output = Pick<ManagedRun, 'outputSoFar'>;

export async function replayRun(output: Output, asked: ReplayedRun): Promise<Replayed> {
  const { thread, run, promptCalls } = asked;
  const finder = new LoadFinder(run);
  if (!finder.isDone) {
    const look = await readSteps(output, asked, (step) => {
      finder.take(step);
      return !finder.isDone;
    });
    if (look !== 'read') return { outcome: look };
  }
  const replay = createReplay({ thread, run, promptCalls, loadStretch: finder.found() });
  const list = new FactList();
  const outcome = await readSteps(output, asked, (step) => {
    for (const event of replay.take(step)) list.take(event);
    return true;
  });
  return outcome === 'read' ? { outcome, facts: list.facts() } : { outcome };
}

/* Until `take` wants no more, or all that was consumed has gone by. */
async function readSteps(
  output: Output,
  { run, signal }: ReplayedRun,
  take: (step: WireStep) => boolean,
): Promise<Replayed['outcome']> {
  const { cursor: last, phase } = run;
  const make = phase === 'once' ? createTextReader : createWireReader;
  const reader = make(outputStart);
  const goesOn = (steps: readonly WireStep[]): boolean =>
    steps.every((step) => compareCursors(step.cursor, last) <= 0 && take(step));
  if (compareCursors(last, outputStart) <= 0) return 'read';
  for await (const event of output.outputSoFar(outputStart)) {
    if (signal.aborted) return 'no-time';
    if (event.kind === 'gap') return 'trimmed';
    if (event.kind === 'damaged') return 'damaged';
    if (event.kind === 'tail-lost' && event.missedBytes > 0) return 'damaged';
    if (!goesOn(reader.push(event))) return 'read';
  }
  if (signal.aborted) return 'no-time';
  goesOn(reader.end());
  return 'read';
}
