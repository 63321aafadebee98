/*
 * The clean-up job: once at the start, then every 60 s.
 *
 * Steps, in this order: 1 our heartbeats, which also move clients' clocks on after a sleep, so that no session in use is called
 * idle · 2 orphans · 3 sessions on revoked keys · 4 work counts as a heartbeat · 5 idle sessions · 6 agents without a session · 7 masters
 * without a session · 8 runs whose supervisor is gone · 9 runs past retention · 10 expired rows · 11 files for prompts whose time is over. A step that fails is logged and the next ones go on; it comes
 * again in a minute.
 *
 * Never two at once: if the one before is still running, a tick is skipped and counted.
 */
import type { Clock, Log, Timer } from '@clawdfather/kit';
import {
  adoptOrphans,
  closeIdle,
  closeRevoked,
  keepBusySessions,
  type SessionDeps,
} from '@clawdfather/sessions';
import type { Store } from '@clawdfather/store';
import type { Supervisor } from '@clawdfather/supervisor';
import type { Instance } from '../sessions/instance.ts';
import type { CleanupObserver } from './cleanup-observer.ts';

export interface CleanupDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly instance: Instance;
  readonly sessions: SessionDeps;
  readonly supervisor: Pick<Supervisor, 'reconcile' | 'gc'>;
  /* Ends connections to hosts whose session is over. */
  readonly checkHosts?: (() => Promise<void>) | undefined;
  /* Ends agents whose session is over. */
  readonly reapAgents?: (() => Promise<void>) | undefined;
  /* Removes files for prompts that are too old. */
  readonly sweepFiles?: (() => Promise<void>) | undefined;
  readonly observer: CleanupObserver;
  /* True: the output of some accounts is bounded, and has to be looked at at every turn. */
  readonly hasMembers?: boolean | undefined;
}

export interface Cleanup {
  /* Runs once and arms the timer. */
  start(): void;
  /* One run, or the one that is under way. Never rejects. */
  runNow(): Promise<void>;
  stop(): Promise<void>;
}

const everyMs = 60_000;
/* Retention is counted in days; looking through all finished runs each minute would be for nothing. */
const retentionEveryMs = 10 * 60_000;

interface Step {
  readonly name: string;
  readonly work: () => Promise<unknown>;
}

export function createCleanup(deps: CleanupDeps): Cleanup {
  const { clock, log, observer, instance } = deps;
  const stopping = new AbortController();
  const steps = stepsOf(deps, stopping.signal);
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;

  const runSteps = async (): Promise<void> => {
    const sinceMs = clock.monotonicMs();
    const failedSteps: string[] = [];
    for (const { name, work } of steps) {
      // Superseded or stopped: another gateway does the rest (G3).
      if (stopping.signal.aborted || instance.state !== 'alive') return;
      try {
        await work();
      } catch (error) {
        if (stopping.signal.aborted) return;
        failedSteps.push(name);
        log.error('cleanup.step-failed', { component: 'cleanup', step: name, error });
      }
    }
    observer.ran({ durationMs: clock.monotonicMs() - sinceMs, failedSteps });
  };

  const runNow = (): Promise<void> => {
    running ??= runSteps().finally(() => {
      running = undefined;
    });
    return running;
  };

  const tick = (): void => {
    timer = clock.timer(everyMs, tick);
    timer.unref();
    if (running === undefined) void runNow();
    else {
      observer.skipped();
      log.warn('cleanup.skipped', { component: 'cleanup' });
    }
  };

  return {
    start: tick,
    runNow,
    stop: async () => {
      stopping.abort();
      timer?.cancel();
      await running;
    },
  };
}

function stepsOf(deps: CleanupDeps, signal: AbortSignal): readonly Step[] {
  const { store, instance, sessions, supervisor, clock } = deps;
  let retainedAtMs: number | undefined;
  const retain = async (): Promise<void> => {
    const nowMs = clock.monotonicMs();
    const isSoon = retainedAtMs !== undefined && nowMs - retainedAtMs < retentionEveryMs;
    if (isSoon && deps.hasMembers !== true) return;
    retainedAtMs = nowMs;
    await supervisor.gc({ signal });
  };
  return [
    { name: 'heartbeat', work: () => instance.beat() },
    { name: 'orphans', work: () => adoptOrphans(sessions, instance.owner()) },
    { name: 'revoked', work: () => closeRevoked(sessions, instance.owner()) },
    { name: 'busy', work: () => keepBusySessions(sessions) },
    { name: 'idle', work: () => closeIdle(sessions, instance.owner()) },
    { name: 'agents', work: async () => deps.reapAgents?.() },
    { name: 'hosts', work: async () => deps.checkHosts?.() },
    { name: 'reconcile', work: () => supervisor.reconcile() },
    { name: 'retention', work: retain },
    { name: 'expired', work: () => store.system.cleanup.removeExpired() },
    { name: 'files', work: async () => deps.sweepFiles?.() },
  ];
}
