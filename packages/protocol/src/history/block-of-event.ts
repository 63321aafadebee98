/*
 * One event as a block of its own. What comes of several is in join-blocks.ts. What an agent sent may have any shape: what is not of the
 * expected one is shown as it is.
 */
import type { Block, Cut, Facts, LoggedEvent, Role } from './block.ts';

/* An event with what is left out of its payload, if anything is. */
export interface ShownEvent extends LoggedEvent {
  readonly cutBytes?: number | undefined;
}

export function blockOfEvent(event: ShownEvent): Block {
  const { seq, turn_id, type, payload, at, cutBytes } = event;
  const cut: readonly Cut[] = cutBytes === undefined ? [] : [{ seq, bytes: cutBytes }];
  const place = { turn_id, first_seq: seq, last_seq: seq, at, last_at: at, cut };
  return blockOf(type, payload, place) ?? { kind: 'event', ...place, type, payload };
}

type Place = Pick<Block, 'turn_id' | 'first_seq' | 'last_seq' | 'at' | 'last_at' | 'cut'>;

function blockOf(type: string, payload: Facts, place: Place): Block | undefined {
  switch (type) {
    case 'delta':
      return deltaOf(payload, place);
    case 'message':
      return messageOf(payload, place);
    case 'tool': {
      const { update, toolCallId, ...facts } = payload;
      if (typeof toolCallId !== 'string') return undefined;
      const is_begun = update === 'tool_call';
      const call = toldOf(facts);
      return { kind: 'tool', ...place, tool_call_id: toolCallId, call, is_begun, updates: 1 };
    }
    case 'plan':
      return { kind: 'plan', ...place, plan: payload, updates: 1 };
    default:
      return undefined;
  }
}

function deltaOf({ role, messageId, text }: Facts, place: Place): Block | undefined {
  if (!isRole(role) || typeof text !== 'string') return undefined;
  const end = { is_complete: false, begins_seq: null, bytes: null, sha256: null };
  return { kind: 'text', ...place, role, message_id: textOr(messageId), text, ...end };
}

function messageOf(payload: Facts, place: Place): Block | undefined {
  const { role, messageId, firstSeq, bytes, sha256, blocks, block } = payload;
  if (!isRole(role)) return undefined;
  if (Array.isArray(blocks)) return { kind: 'user', ...place, content: blocks };
  if (block !== undefined) return { kind: 'content', ...place, role, content: block };
  if (typeof firstSeq !== 'number') return undefined;
  return {
    kind: 'text',
    ...place,
    role,
    message_id: textOr(messageId),
    text: '',
    is_complete: true,
    begins_seq: firstSeq,
    bytes: typeof bytes === 'number' ? bytes : null,
    sha256: textOr(sha256),
  };
}

/* What an agent leaves out, or sends as null, is as it was. */
function toldOf(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined && value !== null),
  );
}

function isRole(value: unknown): value is Role {
  return value === 'agent' || value === 'thought' || value === 'user';
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
