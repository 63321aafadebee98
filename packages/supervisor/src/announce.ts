/*
 * From what happens to a run to what is announced about it (events.ts): one place, so that counters are counted
 * once per run however many owners it had.
 */
import type { RunEvent as ShimEvent } from '@clawdfather/shim';
import type { SupervisorContext } from './context.ts';
import { countsOfExit } from './events.ts';
import type { RunEvent } from './lifecycle/run-lifecycle.ts';
import type { LiveRun } from './run/own/live-run.ts';

type Announcer = Pick<SupervisorContext, 'observer' | 'log'>;

export function announceNews(
  { observer, log }: Announcer,
  run: LiveRun,
  { event, why }: { readonly event: ShimEvent | RunEvent; readonly why: string },
): void {
  const { runId } = run.identity;
  log.debug('run.event', { runId, event: event.type, state: run.state.kind, why });
  switch (event.type) {
    case 'committed':
      if (run.state.kind === 'running') {
        observer.event({ type: 'started', runId, pid: run.state.process.pid });
      }
      return;
    case 'cancel-requested':
      return observer.event({ type: 'cancel', runId, reason: event.reason, actor: event.actor });
    case 'blocked':
      return observer.event({ type: 'blocked', runId, isBlocked: event.isBlocked, why: event.why });
    case 'shim-lost':
      return observer.event({ type: 'shim-lost', runId, isSwept: true });
    case 'ended':
      return observer.event({ type: 'end', runId, survivors: event.exit.survivors.length });
    default:
      return undefined;
  }
}

export function announceExit({ observer, log }: Announcer, run: LiveRun): void {
  if (run.state.kind !== 'exited') return;
  const { exit } = run.state;
  const { runId } = run.identity;
  observer.event({ type: 'exit', runId, exit });
  for (const count of countsOfExit(exit)) observer.count(count);
  log.event('run.exit', { runId, reason: exit.reason, code: exit.code, signal: exit.signal });
}
