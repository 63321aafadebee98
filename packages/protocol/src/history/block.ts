/*
 * What a reader sees of a thread: blocks, put together from its events. A block says which events it is made of, by their first and last
 * number. Names are those of the wire.
 */

/* An event as the API shows it. A newer gateway may have more types than are known here. */
export interface LoggedEvent {
  readonly seq: number;
  readonly turn_id: string | null;
  readonly type: string;
  readonly payload: Facts;
  readonly at: string;
}

export type Facts = Readonly<Record<string, unknown>>;

export type Role = 'agent' | 'thought' | 'user';

/* An event of which only a part is shown, and the size of all of its payload as JSON. `GET /api/v1/threads/:id/events/:seq` has it whole. */
export interface Cut {
  readonly seq: number;
  readonly bytes: number;
}

interface Placed {
  readonly turn_id: string | null;
  readonly first_seq: number;
  readonly last_seq: number;
  /* Of its first event, and of its last. */
  readonly at: string;
  readonly last_at: string;
  readonly cut: readonly Cut[];
}

/* A text of the agent: deltas of one message, joined. */
export interface TextBlock extends Placed {
  readonly kind: 'text';
  readonly role: Role;
  readonly message_id: string | null;
  readonly text: string;
  /* False: it is still being written, or its end is on a newer page. */
  readonly is_complete: boolean;
  /* Known when it is complete: its first event, which may be on an older page, and the length and SHA-256 of all of it as UTF-8. */
  readonly begins_seq: number | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

/* What a person said: the prompt of a turn, as ACP content blocks. */
export interface UserBlock extends Placed {
  readonly kind: 'user';
  readonly content: readonly unknown[];
}

/* Something else than text in a message: a picture, a link. */
export interface ContentBlock extends Placed {
  readonly kind: 'content';
  readonly role: Role;
  readonly content: unknown;
}

/* One call of a tool, with all that was told of it: of each member the newest. */
export interface ToolBlock extends Placed {
  readonly kind: 'tool';
  readonly tool_call_id: string;
  readonly call: Facts;
  /* False: its beginning is on an older page. */
  readonly is_begun: boolean;
  readonly updates: number;
}

/* The newest plan of a turn. */
export interface PlanBlock extends Placed {
  readonly kind: 'plan';
  readonly plan: Facts;
  readonly updates: number;
}

/* As it is: status, usage, approval, question, noise, and whatever is not known here. */
export interface EventBlock extends Placed {
  readonly kind: 'event';
  readonly type: string;
  readonly payload: Facts;
}

export type Block = TextBlock | UserBlock | ContentBlock | ToolBlock | PlanBlock | EventBlock;
