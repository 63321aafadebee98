/*
 * What all sockets of a gateway share.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { Store } from '@clawdfather/store';
import type { RunRecord } from '@clawdfather/supervisor';
import type { Authenticate } from '../auth/authenticate.ts';
import type { TokenWatch } from '../auth/token-watch.ts';
import type { Caller } from '../http/caller.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { Observe } from '../observe/open-observe.ts';
import type { Decision } from '../runs/decide-approval.ts';
import type { ClientBeats } from '../sessions/client-beats.ts';
import type { Beats } from './beats.ts';
import type { SessionWatch } from './session-watch.ts';
import type { SharedRuns } from './shared-runs.ts';
import type { SocketTally } from './socket-counts.ts';

export interface SocketPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly store: Store;
  readonly authenticate: Authenticate;
  /* The record of a run that this caller sees; throws an `ApiError`. */
  readonly findRun: (caller: Caller, runId: string) => RunRecord;
  /* Throws an `ApiError`; resolves to the approval's state. */
  readonly decide: (decision: Decision) => Promise<string>;
  /* Live output, which streams share. */
  readonly hub: LiveHub;
  readonly sessions: ClientBeats;
  /* A message and everything that it causes belong to one trace. */
  readonly inMessage: Observe['inMessage'];
  readonly currentTrace: Observe['currentTrace'];
}

export interface SocketContext extends SocketPorts {
  readonly sharedRuns: SharedRuns;
  readonly sessionWatch: SessionWatch;
  readonly tokenWatch: TokenWatch;
  readonly beats: Beats;
  readonly tally: SocketTally;
}
