/*
 * Joins what sessions are made of: the instance, its sessions, and the clean-up that looks after them.
 *
 * Opened before the server and started after it listens (G1); closed after it, and closing ends no session.
 */
import type { Clock, Log } from '@clawdfather/kit';
import {
  createNewsDesk,
  type NewsDesk,
  type NewsListener,
  type SessionDeps,
  type SessionKeeper,
} from '@clawdfather/sessions';
import type { Store } from '@clawdfather/store';
import { type Cleanup, createCleanup } from '../cleanup/create-cleanup.ts';
import { type CleanupObserver, silentCleanupObserver } from '../cleanup/cleanup-observer.ts';
import { createSessionLines } from '../observe/session-lines.ts';
import type { Runs } from '../runs/open-runs.ts';
import { createClientBeats } from './client-beats.ts';
import { createInstance, type Instance } from './instance.ts';
import { createSessionDeps } from './session-deps.ts';
import { createSessionRuns, type SessionAgents } from './session-runs.ts';
import { createSessions, type Sessions } from './sessions.ts';

export interface SessionsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly runs: Runs;
  /* Beside the log, which has a line for each. */
  readonly onNews?: NewsListener;
  readonly cleanupObserver?: CleanupObserver;
  readonly hasMembers?: boolean;
  /* What sessions on hosts need to go on. */
  readonly keeper?: SessionKeeper;
  readonly checkHosts?: () => Promise<void>;
  readonly sweepFiles?: () => Promise<void>;
  /* What runs in sessions beside commands. */
  readonly agents?: SessionAgents & { reap(): Promise<void> };
}

export interface OpenSessions extends AsyncDisposable {
  readonly instance: Instance;
  readonly sessions: Sessions;
  readonly news: NewsDesk;
  readonly deps: SessionDeps;
  readonly cleanup: Cleanup;
  /* From here on sessions can be started, and orphaned ones are adopted. */
  start(input: { readonly version: string; readonly address: string }): Promise<void>;
}

export function openSessions(given: SessionsDeps): OpenSessions {
  const { store, clock, log } = given;
  const { supervisor } = given.runs;
  const news = createNewsDesk(createSessionLines(log));
  if (given.onNews !== undefined) news.subscribe(given.onNews);
  const instance = createInstance({ store, clock, log });
  const beats = createClientBeats({ store, clock, log });
  const runs = createSessionRuns({ runs: given.runs, log, agents: given.agents });
  const deps = createSessionDeps({ store, runs, news, keeper: given.keeper });
  const sessions = createSessions({ store, instance, beats, deps });
  const cleanup = createCleanup({
    store,
    clock,
    log,
    instance,
    sessions: deps,
    supervisor,
    observer: given.cleanupObserver ?? silentCleanupObserver,
    hasMembers: given.hasMembers,
    checkHosts: given.checkHosts,
    sweepFiles: given.sweepFiles,
    reapAgents: async () => given.agents?.reap(),
  });
  return {
    instance,
    sessions,
    news,
    deps,
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
