/*
 * What all sockets of a gateway share.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { GatewayIdentity } from '@clawdfather/protocol/api';
import type { Endpoint } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import type { AnswerDeps } from '../acp/answer-call.ts';
import type { EventDesk } from '@clawdfather/threads';
import type { CallerThreads } from '../agents/caller-threads.ts';
import type { AskedDecision } from '../agents/decide-asked.ts';
import type { FairTurns } from '../accounts/fair-turns.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import type { TokenWatch } from '../auth/token-watch.ts';
import type { Caller } from '../http/caller.ts';
import type { LimitedCall } from '../http/limit-endpoint.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { Observe } from '../observe/open-observe.ts';
import type { RunsFor } from '../runs/caller-runs.ts';
import type { ClientBeats } from '../sessions/client-beats.ts';
import type { Beats } from './beats.ts';
import type { SessionWatch } from './session-watch.ts';
import type { SharedRuns } from './shared-runs.ts';
import type { SocketTally } from './socket-counts.ts';

export interface ThreadsAsked {
  readonly caller: Caller;
  readonly ip: string;
  readonly traceId: string;
}

/* What every socket is given of the gateway. */
export interface SocketPorts {
  /* What JSON-RPC is answered from. */
  readonly rpc: AnswerDeps;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly store: Store;
  readonly authenticate: Authenticate;
  readonly turns: FairTurns;
  /* What a caller can do with runs. */
  readonly runsFor: RunsFor;
  /* Throws an `ApiError`; resolves to the approval's state. */
  readonly decide: (decision: AskedDecision) => Promise<string>;
  /* What a caller can do with conversations. */
  readonly threadsOf: (asked: ThreadsAsked) => CallerThreads;
  /* Tells what is added to conversations here. */
  readonly desk: EventDesk;
  /* Counts a message as a call of the endpoint that does the same. Throws `rate_limited`. */
  readonly limitCall: (endpoint: Endpoint, call: LimitedCall) => Promise<unknown>;
  /* Live output, which streams share. */
  readonly hub: LiveHub;
  readonly sessions: ClientBeats;
  /* Who answers; known once the gateway has started. */
  readonly identity: () => GatewayIdentity | undefined;
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
