/*
 * How long a call may be without a sign of its answer. A connection that is gone without a word would otherwise hold up all that waits for
 * the call.
 *
 * It begins anew with each piece of the answer: a slow network is no dead one. Uploads have none, since nothing comes back while they go.
 */
import { abortWith, type Clock } from '@clawdfather/kit';
import type { Endpoint } from '@clawdfather/protocol/api';

export interface CallLimit {
  readonly clock: Pick<Clock, 'timer'>;
  /* For an answer that is given at once. */
  readonly ms: number;
}

/* So long the gateway itself gives a call. */
const gatewayMs = 30_000;

interface Patience {
  readonly signal: AbortSignal | undefined;
  /* Something came. */
  readonly heard: () => void;
  /* The limit was reached. */
  readonly isOver: boolean;
  stop(): void;
}

export function startPatience(
  limit: CallLimit | undefined,
  outer: AbortSignal | undefined,
): Patience {
  if (limit === undefined) {
    return { signal: outer, heard: () => {}, isOver: false, stop: () => {} };
  }
  const { clock, ms } = limit;
  const ending = new AbortController();
  const leave = abortWith(outer, ending);
  let isOver = false;
  const start = () =>
    clock.timer(ms, () => {
      isOver = true;
      ending.abort();
    });
  let timer = start();
  return {
    signal: ending.signal,
    heard: () => {
      timer.cancel();
      timer = start();
    },
    get isOver() {
      return isOver;
    },
    stop: () => {
      timer.cancel();
      leave();
    },
  };
}

/* Undefined: it takes as long as it takes. */
export function limitMsOf(
  { ms }: CallLimit,
  endpoint: Endpoint,
  { query, body }: { readonly query?: object; readonly body?: unknown },
): number | undefined {
  if (endpoint.bytesMax !== undefined) return undefined;
  const waitMs = numberIn(query, 'wait_ms') ?? numberIn(query, 'timeoutMs');
  const askedMs = waitMs ?? numberIn(body, 'wait_ms');
  if (askedMs !== undefined) return ms + askedMs;
  if (endpoint.needsTime) return ms + gatewayMs;
  // Those that read can also be streams, which are not read here; those that change something end it first.
  return endpoint.takesLong && endpoint.method !== 'GET' ? undefined : ms;
}

function numberIn(parts: unknown, name: string): number | undefined {
  if (typeof parts !== 'object' || parts === null) return undefined;
  const value: unknown = Reflect.get(parts, name);
  return typeof value === 'number' ? value : undefined;
}
