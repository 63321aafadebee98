/*
 * What the supervisor announces, as counters and log lines.
 */
import type { Log } from '@clawdfather/kit';
import type { SupervisorEvent, SupervisorObserver } from '@clawdfather/supervisor';
import type { Metrics } from './metrics.ts';

export function createRunObserver({
  metrics,
  log,
}: {
  readonly metrics: Pick<Metrics, 'counted'>;
  readonly log: Log;
}): SupervisorObserver {
  return {
    count: (count) => metrics.counted(count),
    event: (event) => announce(log, event),
  };
}

function announce(log: Log, event: SupervisorEvent): void {
  const { type: _type, ...fields } = event;
  switch (event.type) {
    case 'spawn':
      return log.event('run.spawn', fields);
    case 'started':
      return log.event('run.started', fields);
    case 'cancel':
      return log.event('run.cancel', fields);
    case 'end':
      if (event.survivors === 0) return log.debug('run.end', fields);
      return log.warn('run.end', { ...fields, message: 'processes of it are still there' });
    case 'blocked':
      return event.isBlocked ? log.warn('run.blocked', fields) : log.event('run.blocked', fields);
    case 'reconcile': {
      const { runId, ...decision } = event.decision;
      return log.event('run.reconcile', { runId, ...decision });
    }
    case 'lease-stolen':
      return log.warn('run.lease-stolen', fields);
    case 'shim-lost':
      return log.warn('run.shim-lost', fields);
    case 'lease-lost':
      return log.error('run.lease-lost', fields);
    case 'spawnd-restarted':
      return log.warn('spawnd.restarted', fields);
    case 'registry-failed':
      return log.error('registry.failed', fields);
    // The supervisor logs its exits itself; output is too frequent for a line each.
    case 'exit':
    case 'output-heartbeat':
      return undefined;
  }
}
