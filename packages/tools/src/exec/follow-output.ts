/*
 * Reading a run's output into a collector: to what there is now, or along with the run.
 *
 * Small reads come without a turn of the event loop, and a run that floods could keep timers from firing. So
 * reading pauses now and then.
 */
import type { Clock } from '@clawdfather/kit';
import type { ManagedRun, OutputEvent } from '@clawdfather/supervisor';
import type { OutputCollector } from './output-collector.ts';

/* A delay this short is not noticed, and a megabyte is read in less. */
const breathMs = 10;

export interface Reading {
  readonly clock: Clock;
  readonly run: ManagedRun;
  readonly collector: OutputCollector;
  readonly signal: AbortSignal;
  readonly onEvent?: ((event: OutputEvent) => void) | undefined;
}

/* Resolves when the run has settled and all is read, or when the signal aborts. */
export async function followOutput(reading: Reading): Promise<void> {
  const { run, collector, signal } = reading;
  try {
    await takeIn(reading, run.outputLent(collector.reached, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/* What there is now. `untilMs` bounds it: a run that floods is never caught up with. */
export async function readSoFar(reading: Reading, forMs: number): Promise<void> {
  const { run, collector, signal, clock } = reading;
  const endsAtMs = clock.monotonicMs() + forMs;
  const events = run.outputSoFar(collector.reached, signal);
  await takeIn(reading, events, () => clock.monotonicMs() >= endsAtMs);
}

/* Waits for one event and takes it in; false when the run has settled and there is none. */
export async function nextOutput(reading: Reading): Promise<boolean> {
  const { run, collector, signal } = reading;
  for await (const event of run.outputLent(collector.reached, signal)) {
    collector.push(event);
    reading.onEvent?.(event);
    return true;
  }
  return false;
}

async function takeIn(
  { collector, clock, signal, onEvent }: Reading,
  events: AsyncIterable<OutputEvent>,
  isEnough: () => boolean = () => false,
): Promise<void> {
  let breathedAtMs = clock.monotonicMs();
  for await (const event of events) {
    collector.push(event);
    onEvent?.(event);
    if (clock.monotonicMs() - breathedAtMs < breathMs) continue;
    if (isEnough()) return;
    await clock.sleep(0, signal);
    breathedAtMs = clock.monotonicMs();
  }
}
