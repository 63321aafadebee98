/*
 * Records, with each beat of the lease, which runs have written output since the last one.
 *
 * The journal has the exact times; this is for readers of records alone (`ps`, another gateway), so once per run and
 * beat is enough. A run that another owner has taken is noticed here at the latest (O3).
 */
import { hasCode } from '@clawdfather/kit';
import type { SupervisorContext } from '../context.ts';
import { SupervisorError } from '../errors.ts';
import type { LiveRun } from '../run/own/live-run.ts';

type BeatDeps = Pick<SupervisorContext, 'live' | 'registry' | 'observer'>;

export function createOutputBeats({ live, registry, observer }: BeatDeps): () => Promise<void> {
  const told = new WeakMap<LiveRun, number>();

  const tell = async (run: LiveRun, atMs: number): Promise<void> => {
    const { runId, epoch } = run.identity;
    told.set(run, atMs);
    observer.event({ type: 'output-heartbeat', runId, atMs });
    try {
      await registry.write((tx) => tx.change({ runId, epoch }, { lastOutputAtMs: atMs }));
    } catch (error) {
      /* Anything else, a full disk say, is no loss: the next beat says more. */
      if (error instanceof SupervisorError && hasCode(error, 'epoch-stale')) run.lose(error);
    }
  };

  return async () => {
    const fresh: Promise<void>[] = [];
    for (const { run } of live.values()) {
      const lastOutputAtMs = run.state.kind === 'exited' ? undefined : run.lastOutputAtMs();
      if (lastOutputAtMs === undefined) continue;
      if (told.get(run) !== lastOutputAtMs) fresh.push(tell(run, lastOutputAtMs));
    }
    await Promise.all(fresh);
  };
}
