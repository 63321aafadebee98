/*
 * A turn's place in the traces, as it is kept in the turn's row: the trace, the id of the turn's own span, and the span that it is below.
 *
 * The ids are chosen when the turn is taken in, because the turn outlives every gateway: what is done for it, by whichever one, is below
 * the same span, and the gateway that sees its end sends that span.
 */
import type { Random } from '@clawdfather/kit';
import type { TraceContext } from './trace-context.ts';

export interface TurnTrace extends TraceContext {
  readonly spanId: string;
}

const noParent = '0'.repeat(16);
const shape = /^([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{16})-(0[01])$/;

/* `from`: the request that brings the turn; its span, where it has one here, is the parent. */
export function newTurnTrace(
  from: TraceContext,
  { random, spanId: parent }: { readonly random: Random; readonly spanId: string | undefined },
): string {
  const { traceId, parentSpanId, isSampled } = from;
  const spanId = Buffer.from(random.bytes(8)).toString('hex');
  return `${traceId}-${spanId}-${parent ?? parentSpanId ?? noParent}-${isSampled ? '01' : '00'}`;
}

export function parseTurnTrace(text: string | undefined): TurnTrace | undefined {
  const match = text === undefined ? null : shape.exec(text);
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', parent = '', flags] = match;
  const parentSpanId = parent === noParent ? undefined : parent;
  return { traceId, spanId, parentSpanId, isSampled: flags === '01' };
}

/* What is below the turn's span. */
export function belowTurn({ traceId, spanId, isSampled }: TurnTrace): TraceContext {
  return { traceId, parentSpanId: spanId, isSampled };
}
