/*
 * The trace a request belongs to: the one its `traceparent` names (W3C Trace Context), or a new one.
 */
import type { Random } from '@clawdfather/kit';

export interface TraceContext {
  readonly traceId: string;
  /* The caller's span, which ours is a child of. */
  readonly parentSpanId: string | undefined;
  readonly isSampled: boolean;
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const zeros = /^0+$/;

/* `undefined` for what is not one; the standard says to begin a new trace then, not to refuse. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const match = text === undefined ? null : shape.exec(text);
  if (match === null) return undefined;
  const [, version = '', traceId = '', parentSpanId = '', flags = ''] = match;
  if (version === 'ff' || zeros.test(traceId) || zeros.test(parentSpanId)) return undefined;
  // Version 00 has exactly four fields; what later versions add is skipped.
  if (version === '00' && text?.length !== 55) return undefined;
  return { traceId, parentSpanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/* Random bytes for this many ids are taken at once: one id at a time costs ten times as much as what it is for. */
const idsAtOnce = 64;
const idCharacters = 32;

/* Makes new traces. */
export function createTraces(random: Random): () => TraceContext {
  let ids = '';
  let used = 0;
  return () => {
    if (used === ids.length) {
      ids = Buffer.from(random.bytes((idsAtOnce * idCharacters) / 2)).toString('hex');
      used = 0;
    }
    const traceId = ids.slice(used, used + idCharacters);
    used += idCharacters;
    return { traceId, parentSpanId: undefined, isSampled: true };
  };
}

/* One, where there is no stream of them. */
export function newTrace(random: Random): TraceContext {
  return createTraces(random)();
}
