/*
 * What an event of a thread says, for those who show it. Its payload is what an agent sent, in part as it came, so everything in it is
 * looked at before it is believed.
 */
import type { ThreadEvent, TurnEnd, TurnEndStatus } from './thread-types.ts';

type Role = 'agent' | 'thought' | 'user';

export type ThreadFact =
  | { readonly kind: 'text'; readonly role: Role; readonly text: string }
  /* The message that was being written is whole. */
  | { readonly kind: 'message-end'; readonly role: Role }
  /* A picture, a file, and the like: its kind in one word. */
  | { readonly kind: 'block'; readonly role: Role; readonly type: string }
  /* What a person has said. */
  | { readonly kind: 'prompt'; readonly text: string }
  | {
      readonly kind: 'tool';
      readonly id: string;
      readonly title: string | undefined;
      readonly status: string | undefined;
    }
  /* All of it, each time that something in it changes. */
  | { readonly kind: 'plan'; readonly entries: readonly PlanEntry[] }
  | {
      readonly kind: 'ask';
      readonly id: string;
      readonly state: string;
      /* Who has answered it. */
      readonly actor: string | undefined;
    }
  | { readonly kind: 'notice'; readonly event: string; readonly message: string | undefined }
  | { readonly kind: 'turn-end'; readonly end: TurnEnd };

export interface PlanEntry {
  readonly text: string;
  readonly status: string;
}

type Payload = Readonly<Record<string, unknown>>;

/* Undefined: nothing that people are shown. */
export function factOf({ type, payload }: ThreadEvent): ThreadFact | undefined {
  switch (type) {
    case 'delta':
      return { kind: 'text', role: roleOf(payload), text: textAt(payload, 'text') ?? '' };
    case 'message':
      return messageFact(payload);
    case 'tool':
      return {
        kind: 'tool',
        id: textAt(payload, 'toolCallId') ?? '',
        title: textAt(payload, 'title'),
        status: textAt(payload, 'status'),
      };
    case 'approval':
    case 'question':
      return {
        kind: 'ask',
        id: textAt(payload, 'ask') ?? '',
        state: textAt(payload, 'state') ?? '',
        // Who cancels a turn has answered nothing in it.
        actor: textAt(payload, 'answer') === 'cancel' ? undefined : textAt(payload, 'actor'),
      };
    case 'status':
      return statusFact(payload);
    case 'plan':
      return planFact(payload);
    case 'usage':
    case 'artifact':
    case 'noise':
      return undefined;
  }
}

function messageFact(payload: Payload): ThreadFact {
  const role = roleOf(payload);
  const { block, blocks } = payload;
  if (Array.isArray(blocks)) return { kind: 'prompt', text: textOfBlocks(blocks) };
  if (isObject(block)) return { kind: 'block', role, type: textAt(block, 'type') ?? 'unknown' };
  return { kind: 'message-end', role };
}

function planFact({ entries }: Payload): ThreadFact {
  const list = Array.isArray(entries) ? entries.filter(isObject) : [];
  const shown = list.map((entry) => ({
    text: textAt(entry, 'content') ?? '',
    status: textAt(entry, 'status') ?? 'pending',
  }));
  return { kind: 'plan', entries: shown };
}

const ends: readonly string[] = [
  'completed',
  'failed',
  'cancelled',
  'interrupted',
] satisfies TurnEndStatus[];

function statusFact(payload: Payload): ThreadFact | undefined {
  const event = textAt(payload, 'event');
  if (event === undefined) return undefined;
  if (!ends.includes(event)) return { kind: 'notice', event, message: textAt(payload, 'message') };
  const result = isObject(payload['result']) ? payload['result'] : {};
  return {
    kind: 'turn-end',
    end: {
      status: event as TurnEndStatus,
      code: textAt(result, 'code'),
      stopReason: textAt(result, 'stopReason'),
      message: textAt(result, 'message'),
      cause: textAt(result, 'cause'),
    },
  };
}

/* The text of a prompt; of what is no text, its kind. */
function textOfBlocks(blocks: readonly unknown[]): string {
  return blocks
    .filter(isObject)
    .map((block) => textAt(block, 'text') ?? `[${textAt(block, 'type') ?? 'unknown'}]`)
    .join('\n');
}

function roleOf(payload: Payload): Role {
  const role = textAt(payload, 'role');
  return role === 'thought' || role === 'user' ? role : 'agent';
}

export function textAt(payload: Payload, key: string): string | undefined {
  const value = payload[key];
  return typeof value === 'string' ? value : undefined;
}

export function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
