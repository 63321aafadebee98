/*
 * Joins what sessions are made of: the instance, its sessions, and the clean-up that looks after them.
 *
 * Opened before the server and started after it listens (G1); closed after it, and closing ends no session.
 */
import type { Clock, Log } from '@clawdfather/kit';
import type { Store } from '@clawdfather/store';
import { type Cleanup, createCleanup } from '../cleanup/create-cleanup.ts';
import { type CleanupObserver, silentCleanupObserver } from '../cleanup/cleanup-observer.ts';
import type { Runs } from '../runs/open-runs.ts';
import { createClientBeats } from './client-beats.ts';
import { createInstance, type Instance } from './instance.ts';
import { localSessionKeeper, type SessionKeeper } from './session-keeper.ts';
import {
  type ClosedSession,
  type SessionObserver,
  silentSessionObserver,
} from './session-observer.ts';
import { createSessionRuns } from './session-runs.ts';
import { createSessions, type Sessions } from './sessions.ts';

export interface SessionsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly runs: Runs;
  readonly keeper?: SessionKeeper;
  readonly sessionObserver?: SessionObserver;
  readonly cleanupObserver?: CleanupObserver;
}

export interface OpenSessions extends AsyncDisposable {
  readonly instance: Instance;
  readonly sessions: Sessions;
  readonly sessionObserver: SessionObserver;
  readonly cleanup: Cleanup;
  /* From here on we own what we start and adopt what was left. */
  start(input: { readonly version: string; readonly address: string }): Promise<void>;
}

export function openSessions(deps: SessionsDeps): OpenSessions {
  const { store, clock, log, keeper = localSessionKeeper } = deps;
  const { supervisor } = deps.runs;
  const listeners = new Set<(end: ClosedSession) => void>();
  const sessionObserver = withListeners(deps.sessionObserver ?? silentSessionObserver, listeners);
  const onClosed: Sessions['onClosed'] = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const instance = createInstance({ store, clock, log });
  const beats = createClientBeats({ store, clock, log });
  const runs = createSessionRuns({ runs: deps.runs, log });
  const observer = sessionObserver;
  const sessions = createSessions({ store, log, instance, beats, runs, observer, onClosed });
  const cleanup = createCleanup({
    store,
    clock,
    log,
    instance,
    runs,
    supervisor,
    keeper,
    observer: deps.cleanupObserver ?? silentCleanupObserver,
    sessionObserver,
  });
  return {
    instance,
    sessions,
    sessionObserver,
    cleanup,
    start: async (input) => {
      await instance.start({ instanceId: supervisor.instanceId, ...input });
      cleanup.start();
    },
    [Symbol.asyncDispose]: async () => {
      await cleanup.stop();
      await instance.stop();
    },
  };
}

function withListeners(
  observer: SessionObserver,
  listeners: ReadonlySet<(end: ClosedSession) => void>,
): SessionObserver {
  return {
    started: (result) => observer.started(result),
    failed: (kind) => observer.failed(kind),
    closed: (end) => {
      observer.closed(end);
      for (const listener of listeners) listener(end);
    },
  };
}
