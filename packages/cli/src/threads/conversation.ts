/*
 * A whole conversation, put together from its events: messages with their whole texts, and tools with how they ended.
 */
import { factOf, type ThreadFact } from './thread-fact.ts';
import type { ThreadEvent, TurnEnd } from './thread-types.ts';

interface Placed {
  /* Of its first event. */
  readonly seq: number;
  readonly turnId: string | null;
  readonly at: string;
}

export interface Message extends Placed {
  readonly role: 'agent' | 'thought' | 'user';
  readonly text: string;
  /* False: it is still being written. */
  readonly isWhole: boolean;
}

export interface ToolUse extends Placed {
  readonly id: string;
  readonly title: string;
  readonly status: string | undefined;
}

export interface Ending extends Placed {
  readonly end: TurnEnd;
}

export interface Notice extends Placed {
  readonly message: string;
}

export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolUse[];
  readonly ends: readonly Ending[];
  readonly notices: readonly Notice[];
}

interface Building {
  readonly messages: Message[];
  readonly tools: Map<string, ToolUse>;
  readonly ends: Ending[];
  readonly notices: Notice[];
}

export function conversationOf(events: readonly ThreadEvent[]): Conversation {
  const building: Building = { messages: [], tools: new Map(), ends: [], notices: [] };
  const facts = events.map((event) => ({ event, fact: factOf(event) }));
  for (const [index, { event, fact }] of facts.entries()) {
    // The end of its turn says how the agent ended.
    const isTold = fact?.kind === 'notice' && fact.event === 'agent-ended';
    if (isTold && facts[index + 1]?.fact?.kind === 'turn-end') continue;
    if (fact !== undefined) add(building, event, fact);
  }
  const { messages, tools, ends, notices } = building;
  return { messages, tools: [...tools.values()], ends, notices };
}

function add(building: Building, event: ThreadEvent, fact: ThreadFact): void {
  const place: Placed = { seq: event.seq, turnId: event.turn_id, at: event.at };
  const { messages, tools } = building;
  switch (fact.kind) {
    case 'prompt':
      messages.push({ ...place, role: 'user', text: fact.text, isWhole: true });
      return;
    case 'block':
      messages.push({ ...place, role: fact.role, text: `[${fact.type}]`, isWhole: true });
      return;
    case 'text':
      addText(messages, place, fact);
      return;
    case 'message-end': {
      const open = messages.at(-1);
      if (open?.isWhole === false) messages[messages.length - 1] = { ...open, isWhole: true };
      return;
    }
    case 'tool': {
      // Agents use an id again in another turn.
      const key = `${event.turn_id} ${fact.id}`;
      const known = tools.get(key);
      const title = fact.title ?? known?.title ?? '';
      const status = fact.status ?? known?.status;
      tools.set(key, { ...(known ?? place), id: fact.id, title, status });
      return;
    }
    case 'turn-end':
      building.ends.push({ ...place, end: fact.end });
      return;
    case 'notice':
      if (fact.message !== undefined) building.notices.push({ ...place, message: fact.message });
      return;
    // What was meant to be done is not what was said.
    case 'plan':
    case 'ask':
      return;
  }
}

function addText(
  messages: Message[],
  place: Placed,
  { role, text }: Extract<ThreadFact, { kind: 'text' }>,
): void {
  const open = messages.at(-1);
  const isSame = open?.isWhole === false && open.role === role;
  if (isSame) messages[messages.length - 1] = { ...open, text: open.text + text };
  else messages.push({ ...place, role, text, isWhole: false });
}
