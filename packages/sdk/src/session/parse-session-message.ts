/*
 * From a message of `/ws/sessions/:id` to what it means for its client (docs/protocol/websocket.md). Pure.
 *
 * By hand and not by the schemas, which would bring all of zod into a page for a message that comes fifty times a second; page and gateway are of one
 * version. What is read is checked, what is unknown is skipped.
 */
import type { GatewayIdentity } from '@clawdfather/protocol/api';
import { SdkError } from '../errors.ts';
import type { ThreadEvent } from '../follow-thread.ts';

export type SessionHeard =
  | {
      readonly kind: 'session';
      readonly thread: { readonly id: string; readonly lastSeq: number } | undefined;
      readonly gateway: GatewayIdentity | undefined;
    }
  | { readonly kind: 'event'; readonly event: ThreadEvent }
  | { readonly kind: 'gap'; readonly from: number; readonly to: number }
  | { readonly kind: 'closed'; readonly reason: string; readonly message: string }
  /* The gateway refused to let us in. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'beat' }
  | { readonly kind: 'nothing' };

/* Throws `answer-invalid`. */
export function parseSessionMessage(data: unknown): SessionHeard {
  const message = parseJson(data);
  switch (message['type']) {
    case 'session':
      return {
        kind: 'session',
        thread: threadOf(message['thread']),
        gateway: gatewayOf(message['gateway']),
      };
    case 'event':
      return { kind: 'event', event: eventOf(message['event']) };
    case 'gap': {
      const { from, to } = message;
      // Of a run these are cursors, and no business of ours.
      if (typeof from !== 'number' || typeof to !== 'number') return { kind: 'nothing' };
      return { kind: 'gap', from, to };
    }
    case 'session_closed':
      return {
        kind: 'closed',
        reason: text(message['reason'], 'reason'),
        message: text(message['message'], 'message'),
      };
    case 'error':
      if (message['about'] !== 'auth') return { kind: 'nothing' };
      return {
        kind: 'refused',
        code: text(message['code'], 'code'),
        message: text(message['message'], 'message'),
      };
    case 'heartbeat_ack':
      return { kind: 'beat' };
    default:
      return { kind: 'nothing' };
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parseJson(data: unknown): Fields {
  if (typeof data !== 'string') return {};
  try {
    return fields(JSON.parse(data)) ?? {};
  } catch (cause) {
    throw new SdkError('answer-invalid', 'a message that is no JSON', { cause });
  }
}

function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

function threadOf(value: unknown): { readonly id: string; readonly lastSeq: number } | undefined {
  const thread = fields(value);
  if (thread === undefined) return undefined;
  return { id: text(thread['id'], 'thread.id'), lastSeq: number(thread['last_seq'], 'last_seq') };
}

function gatewayOf(value: unknown): GatewayIdentity | undefined {
  const gateway = fields(value);
  if (gateway === undefined) return undefined;
  return {
    instanceId: text(gateway['instance_id'], 'instance_id'),
    generation: number(gateway['generation'], 'generation'),
    version: text(gateway['version'], 'version'),
  };
}

function eventOf(value: unknown): ThreadEvent {
  const event = fields(value) ?? {};
  number(event['seq'], 'seq');
  text(event['type'], 'event.type');
  if (fields(event['payload']) === undefined) throw invalid('payload');
  // The rest is the gateway's word.
  return event as unknown as ThreadEvent;
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw invalid(name);
}

function number(value: unknown, name: string): number {
  if (typeof value === 'number') return value;
  throw invalid(name);
}

function invalid(name: string): SdkError {
  return new SdkError('answer-invalid', `a message whose "${name}" is not as documented`);
}
