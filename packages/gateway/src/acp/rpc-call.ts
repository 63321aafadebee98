/*
 * What a handler of a method is given, and what it gives back. Which wire the call came over is nothing to it: an outcome may name a turn to
 * follow, and the wire does so if it can.
 */
import type { RpcMethodName, RpcParams, RpcResult } from '@clawdfather/protocol/acp';
import type { Clock } from '@clawdfather/kit';
import { CallerThreads, type CallerThreadsDeps } from '../agents/caller-threads.ts';
import type { EndpointLimitsDeps } from '../http/limit-endpoint.ts';
import { type Caller, actorOf } from '../http/caller.ts';
import type { Instance } from '../sessions/instance.ts';
import type { Sessions } from '../sessions/sessions.ts';

export interface RpcDeps extends CallerThreadsDeps, EndpointLimitsDeps {
  readonly clock: Clock;
  readonly sessions: Pick<Sessions, 'close' | 'seen'>;
  readonly instance: Pick<Instance, 'identity'>;
}

/* Who asks, from where. */
export interface RpcAsker {
  readonly caller: Caller;
  readonly ip: string;
  readonly traceId: string;
}

export interface RpcCall<Name extends RpcMethodName> extends RpcAsker {
  readonly deps: RpcDeps;
  readonly params: RpcParams<Name>;
  /* It used an older name, and is told what older clients understand. */
  readonly isOlder: boolean;
  readonly mine: CallerThreads;
}

/* A turn, and the number after which its events are wanted. */
export interface Following {
  readonly threadId: string;
  readonly turnId: string;
  readonly after: number;
}

export interface RpcOutcome<Name extends RpcMethodName> {
  readonly result: RpcResult<Name>;
  readonly follow?: Following | undefined;
}

export type RpcHandler<Name extends RpcMethodName> = (
  call: RpcCall<Name>,
) => Promise<RpcOutcome<Name>>;

export function threadsFor(deps: RpcDeps, { caller, ip, traceId }: RpcAsker): CallerThreads {
  return new CallerThreads(deps, { caller, by: { actor: actorOf(caller), ip, traceId } });
}
