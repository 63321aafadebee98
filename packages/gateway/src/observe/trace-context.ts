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

export function newTrace(random: Random): TraceContext {
  return {
    traceId: Buffer.from(random.bytes(16)).toString('hex'),
    parentSpanId: undefined,
    isSampled: true,
  };
}
