/*
 * Which trace the code that runs now belongs to: a request's or a socket message's. It is what puts the trace into lines that
 * are written deep below, by code that knows of no request.
 *
 * Entering costs half a microsecond per request (measured); handing a log down through every function would cost less and
 * miss lines.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from './trace-context.ts';

export interface CurrentTrace {
  /* What `work` does and waits for belongs to this trace. */
  run<Value>(trace: TraceContext, work: () => Value): Value;
  /* It belongs to none: work that goes on long after the request that set it off. */
  apart<Value>(work: () => Value): Value;
  get(): TraceContext | undefined;
}

export function createCurrentTrace(): CurrentTrace {
  const storage = new AsyncLocalStorage<TraceContext>();
  return {
    run: (trace, work) => storage.run(trace, work),
    apart: (work) => storage.exit(work),
    get: () => storage.getStore(),
  };
}
