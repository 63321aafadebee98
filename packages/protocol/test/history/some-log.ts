/*
 * Logs of threads as agents make them: one text under way at a time, with usage, status and updates of tools in the middle of it, and odd
 * ones in between.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Facts, LoggedEvent, Role } from '../../src/history/index.ts';

type Step =
  | {
      readonly kind: 'text';
      readonly role: Role;
      readonly id: string | null;
      readonly text: string;
    }
  | { readonly kind: 'tool'; readonly id: string; readonly facts: Facts; readonly begins: boolean }
  | { readonly kind: 'other'; readonly type: string; readonly payload: Facts }
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'plan'; readonly entries: readonly string[] }
  | { readonly kind: 'end' };

const someText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });

const someStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('text' as const),
      role: fc.constantFrom<Role>('agent', 'agent', 'thought'),
      id: fc.constantFrom(null, null, 'm'),
      text: someText,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('tool' as const),
      id: fc.constantFrom('a', 'b'),
      facts: fc.dictionary(fc.constantFrom('title', 'status', 'content'), fc.jsonValue()),
      begins: fc.boolean(),
    }),
  },
  fc.record({
    kind: fc.constant('other' as const),
    type: fc.constantFrom('usage', 'status', 'noise', 'approval', 'invented'),
    payload: fc.dictionary(someText, fc.jsonValue(), { maxKeys: 2 }),
  }),
  fc.record({ kind: fc.constant('prompt' as const), text: someText }),
  fc.record({ kind: fc.constant('plan' as const), entries: fc.array(someText, { maxLength: 2 }) }),
  fc.constant({ kind: 'end' as const }),
);

export const someLog = fc.array(someStep, { maxLength: 60 });

interface OpenText {
  readonly role: Role;
  readonly id: string | null;
  readonly firstSeq: number;
  readonly text: string;
}

/* As packages/agents writes it. */
export function logOf(steps: readonly Step[]): LoggedEvent[] {
  const events: LoggedEvent[] = [];
  let turn = 0;
  let open: OpenText | undefined;
  const add = (type: string, payload: Facts): void => {
    const seq = events.length + 1;
    const at = new Date(seq * 1_000).toISOString();
    events.push({ seq, turn_id: turn === 0 ? null : `turn-${turn}`, type, payload, at });
  };
  const close = (): void => {
    if (open === undefined) return;
    const { role, id, firstSeq, text } = open;
    const bytes = Buffer.byteLength(text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    open = undefined;
    add('message', { role, ...(id === null ? {} : { messageId: id }), firstSeq, bytes, sha256 });
  };
  for (const step of steps) {
    switch (step.kind) {
      case 'text': {
        const { role, id, text } = step;
        if (open !== undefined && (open.role !== role || open.id !== id)) close();
        open = {
          role,
          id,
          firstSeq: open?.firstSeq ?? events.length + 1,
          text: (open?.text ?? '') + text,
        };
        add('delta', { role, ...(id === null ? {} : { messageId: id }), text });
        break;
      }
      case 'tool': {
        if (step.begins) close();
        const update = step.begins ? 'tool_call' : 'tool_call_update';
        add('tool', { ...step.facts, update, toolCallId: step.id });
        break;
      }
      case 'other':
        add(step.type, step.payload);
        break;
      case 'prompt':
        turn += 1;
        // It does not end what an agent says by itself at that moment.
        add('message', { role: 'user', blocks: [{ type: 'text', text: step.text }] });
        break;
      case 'plan':
        close();
        add('plan', { entries: step.entries });
        break;
      case 'end':
        close();
        break;
    }
  }
  return events;
}
