/*
 * What metrics want to know of sessions. Calls are cheap and never throw.
 */
import type { CloseReason } from '@clawdfather/store';

export interface SessionObserver {
  started(result: 'ok' | 'failed'): void;
  /* Each session once, wherever the close came from. `lifeMs`: from start to close. */
  closed(end: { readonly reason: CloseReason; readonly lifeMs: number }): void;
  failed(kind: 'ssh_connect' | 'agent_spawn' | 'runtime'): void;
}

export const silentSessionObserver: SessionObserver = {
  started: () => {},
  closed: () => {},
  failed: () => {},
};
