/*
 * The HTTP request that a call of a tool came with.
 *
 * A server of the library may serve many requests, and its tools are not told which one a call belongs to. So the request goes
 * along with the asynchronous context, from where the library is handed the message to where the tools are called.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../http/caller.ts';

export interface McpRequest {
  /* Tells two requests of one client apart: their ids are only unique for the process that made them. */
  readonly serial: number;
  readonly caller: Caller;
  readonly ip: string;
  readonly traceId: string;
  /* Aborts when the client has closed the request before its answer; not when the connection was lost. */
  readonly left: AbortSignal;
  /* The answer will not be read. */
  isLost(): boolean;
  /* Called once, with whether all of the answer went out. */
  readonly onDone: (listener: (isDelivered: boolean) => void) => void;
}

const current = new AsyncLocalStorage<McpRequest>();

export function withRequest<Result>(request: McpRequest, run: () => Result): Result {
  return current.run(request, run);
}

export function currentRequest(): McpRequest {
  const request = current.getStore();
  if (request === undefined) throw new TypeError('a call of a tool belongs to a request');
  return request;
}
