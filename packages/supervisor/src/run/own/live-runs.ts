/*
 * The runs this supervisor owns and has in hand, by id.
 */
import type { KeepAlive } from '../wait/keep-alive.ts';
import type { LiveRun } from './live-run.ts';

export interface OwnedRun {
  readonly run: LiveRun;
  readonly keepAlive: KeepAlive;
  /* Input promised to arrive once is sent in the order in which it was committed (I1). */
  outbox: Promise<unknown>;
  /* Lets go of links; the run goes on. */
  readonly release: () => void;
  /* Set while its own socket is followed. */
  stop: AbortController | undefined;
}

export type LiveRuns = Map<string, OwnedRun>;
